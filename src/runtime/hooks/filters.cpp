// Notices that the program installs a system call filter (seccomp) or forbids the tick counter:
// from then on a system call or a time stamp of ours could be the program's death. The calls
// themselves are passed on untouched.
#include "runtime/hooks/filters.h"

#include <hook_form.h>
#include <linux/prctl.h>  // not sys/prctl.h: it declares prctl() otherwise
#include <linux/seccomp.h>

#include <sys/syscall.h>

#include "runtime/hooks/signals.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/file.h"

HEAPLEDGER_BEFORE(prctl)
HEAPLEDGER_BEFORE(syscall)

namespace heapledger::runtime {
namespace {

void notice(unsigned long operation, bool probe) {
  if (probe) return;
  give_signals_back();
  if (beacon->recording == 0) return;
  // Strict mode also takes the tick counter away.
  if (operation == SECCOMP_SET_MODE_STRICT) {
    stop_recording(format::StopReason::kSeccomp, 0);
  } else if (operation == SECCOMP_SET_MODE_FILTER) {
    expect_filter();
  }
}

}  // namespace

void notice_prctl(int option, unsigned long mode, const void* filter) {
  if (option == PR_SET_SECCOMP) {
    bool strict = mode == SECCOMP_MODE_STRICT;
    notice(strict ? SECCOMP_SET_MODE_STRICT : SECCOMP_SET_MODE_FILTER,
           !strict && filter == nullptr);
  } else if (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV) {
    notice(SECCOMP_SET_MODE_STRICT, false);
  }
}

extern "C" void* heapledger_notice_syscall(long number, unsigned long first, unsigned long second,
                                           unsigned long third) {
  if (number == SYS_seccomp) {
    notice(first, first == SECCOMP_SET_MODE_FILTER && third == 0);
  } else if (number == SYS_prctl) {
    notice_prctl(static_cast<int>(first), second, reinterpret_cast<const void*>(third));
  }
  void* next = HEAPLEDGER_NEXT(syscall, void*);
  heapledger_next_syscall = next;
  return next;
}

}  // namespace heapledger::runtime

// NOLINTBEGIN: the name is libc's.
extern "C" __attribute__((visibility("default"))) int HEAPLEDGER_HOOK(prctl)(int option,
                                                                             unsigned long second,
                                                                             unsigned long third,
                                                                             unsigned long fourth,
                                                                             unsigned long fifth) {
  using namespace heapledger::runtime;
  using Prctl = int (*)(int, unsigned long, unsigned long, unsigned long, unsigned long);
  auto next = HEAPLEDGER_NEXT(prctl, Prctl);
  notice_prctl(option, second, reinterpret_cast<const void*>(third));
  return next(option, second, third, fourth, fifth);
}
// NOLINTEND
