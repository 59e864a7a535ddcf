#include "replay/system_call_names.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

namespace heapledger {
namespace {

struct Named {
  long number;
  const char* name;
};
constexpr Named kNamed[] = {
    {SYS_mmap, "mmap"},
    {SYS_munmap, "munmap"},
    {SYS_mremap, "mremap"},
    {SYS_madvise, "madvise"},
    {SYS_mprotect, "mprotect"},
    {SYS_brk, "brk"},
    {SYS_futex, "futex"},
    {SYS_sched_yield, "sched_yield"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_clock_gettime, "clock_gettime"},
    {SYS_sched_getaffinity, "sched_getaffinity"},
    {SYS_getcpu, "getcpu"},
    {SYS_membarrier, "membarrier"},
    {SYS_mbind, "mbind"},
    {SYS_mincore, "mincore"},
    {SYS_getrandom, "getrandom"},
    {SYS_prctl, "prctl"},
    {SYS_openat, "openat"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_close, "close"},
    {SYS_getrusage, "getrusage"},
    {SYS_gettid, "gettid"},
    {SYS_getpid, "getpid"},
};
constexpr long kOfThreads[] = {
    SYS_clone,           SYS_clone3, SYS_exit,           SYS_exit_group,
    SYS_set_robust_list, SYS_rseq,   SYS_rt_sigprocmask, SYS_rt_sigaction,
};

}  // namespace

std::string system_call_name(long number) {
  const auto* named = std::find_if(std::begin(kNamed), std::end(kNamed),
                                   [&](const Named& call) { return call.number == number; });
  return named == std::end(kNamed) ? "other" : named->name;
}

bool is_of_threads(long number, uint64_t second_argument) {
  // The kernel itself wakes those who wait for a thread: that futex is never a private one. Those
  // of locks are.
  if (number == SYS_futex) return (second_argument & FUTEX_PRIVATE_FLAG) == 0;
  return std::find(std::begin(kOfThreads), std::end(kOfThreads), number) != std::end(kOfThreads);
}

}  // namespace heapledger
