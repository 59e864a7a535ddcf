#include "cores/process_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "analyzer/error.h"
#include "cores/loaded_modules.h"
#include "cores/process_files.h"

namespace heapledger::cores {
namespace {

uint64_t own_page_bytes() {
  long bytes = ::sysconf(_SC_PAGESIZE);
  return bytes > 0 ? static_cast<uint64_t>(bytes) : 4096;
}

// An address of the other process, for system calls.
void* place_of(uint64_t address) {
  return std::bit_cast<void*>(static_cast<uintptr_t>(address));
}

// Threads of a process that runs: of their registers only the stack pointer is known, and that only
// while they wait in the kernel. Stopping the process gives all.
std::vector<Thread> running_threads(uint32_t pid) {
  std::vector<Thread> threads;
  for (uint32_t tid : threads_of_process(pid)) {
    Thread thread;
    thread.tid = tid;
    thread.name = thread_name(pid, tid);
    thread.stack_pointer = waiting_stack_pointer(pid, tid);
    threads.push_back(std::move(thread));
  }
  return threads;
}

}  // namespace

void refuse_process(uint32_t pid, int error) {
  std::string who = "process " + std::to_string(pid);
  if (error == ESRCH || error == ENOENT) {
    throw Error("there is no " + who + ": it has ended, or the number is another's",
                ErrorKind::kQuestion);
  }
  if (error == EPERM || error == EACCES) {
    throw Error("may not read " + who +
                    ": run this as the same user or as root; if that is so already, "
                    "kernel.yama.ptrace_scope must be 0 (sysctl kernel.yama.ptrace_scope=0), a "
                    "container needs the capability SYS_PTRACE, and no debugger may be attached",
                ErrorKind::kData);
  }
  throw Error("cannot read " + who + ": " + std::strerror(error), ErrorKind::kData);
}

ProcessMemory::ProcessMemory(uint32_t pid) : pid_(pid), pages_(pid, own_page_bytes()) {
  if (::access(("/proc/" + std::to_string(pid)).c_str(), F_OK) != 0) refuse_process(pid, ESRCH);
  regions_ = regions_of_process(pid);
  open_memory();
  if (auto shape = shape_of_process(pid)) shape_ = *shape;
  executable_ = executable_of_process(pid);
  command_ = command_of_process(pid);
  threads_ = running_threads(pid);
  find_process_modules();
}

ProcessMemory::~ProcessMemory() {
  if (file_ >= 0) ::close(file_);
}

// Finds out whether and how memory can be read.
void ProcessMemory::open_memory() {
  int error = EACCES;
  for (const Region& region : regions_) {
    if (!region.readable || is_kernel_region(region)) continue;
    unsigned char byte = 0;
    iovec here{&byte, 1};
    iovec there{place_of(region.start), 1};
    if (::process_vm_readv(static_cast<pid_t>(pid_), &here, 1, &there, 1, 0) == 1) return;
    error = errno;
    // A page that is behind the end of its file can be read by nobody.
    if (error == EFAULT) continue;
    break;
  }
  file_ = ::open(("/proc/" + std::to_string(pid_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) refuse_process(pid_, errno == ENOENT ? ESRCH : error);
  // A process that has ended and was not yet waited for, or a thread of the kernel.
  if (regions_.empty()) {
    ::close(file_);
    throw Error("process " + std::to_string(pid_) +
                    " has no memory: it has ended, or it is a part of the kernel",
                ErrorKind::kData);
  }
}

const Region* ProcessMemory::region_at(uint64_t address) const {
  auto behind =
      std::upper_bound(regions_.begin(), regions_.end(), address,
                       [](uint64_t at, const Region& region) { return at < region.start; });
  if (behind == regions_.begin()) return nullptr;
  const Region& region = *(behind - 1);
  return address < region.end ? &region : nullptr;
}

size_t ProcessMemory::read(uint64_t address, std::span<unsigned char> out) const {
  size_t done = 0;
  // One region at a time: those of the kernel are left alone, and a call stops at the first hole.
  while (done < out.size()) {
    const Region* region = region_at(address + done);
    if (region == nullptr || !region->readable || is_kernel_region(*region)) break;
    uint64_t at = address + done;
    auto wanted = static_cast<size_t>(std::min<uint64_t>(out.size() - done, region->end - at));
    ssize_t got = 0;
    if (file_ >= 0) {
      got = ::pread(file_, out.data() + done, wanted, static_cast<off_t>(at));
    } else {
      iovec here{out.data() + done, wanted};
      iovec there{place_of(at), wanted};
      got = ::process_vm_readv(static_cast<pid_t>(pid_), &here, 1, &there, 1, 0);
    }
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

uint64_t ProcessMemory::next_data(uint64_t address) const {
  auto at = std::partition_point(regions_.begin(), regions_.end(),
                                 [&](const Region& region) { return region.end <= address; });
  for (; at != regions_.end(); ++at) {
    if (!at->readable || is_kernel_region(*at)) continue;
    uint64_t from = std::max(address, at->start);
    // Pages of a file hold what the file holds, whether or not anybody has read them yet.
    bool of_file = !at->path.empty() && at->path.front() != '[';
    uint64_t next = of_file ? from : pages_.next(from, at->end);
    if (next < at->end) return next;
  }
  return UINT64_MAX;
}

void ProcessMemory::find_process_modules() {
  elf::ReadAt memory = [this](uint64_t at, std::span<unsigned char> out) { return read(at, out); };
  // In a container of its own, its files are elsewhere; a program that was replaced is there as
  // long as it runs.
  std::string folder = "/proc/" + std::to_string(pid_);
  FilePlaces places = [&](const Module& module) {
    std::vector<std::string> all{module.path, folder + "/root" + module.path};
    if (module.path == executable_) all.push_back(folder + "/exe");
    return all;
  };
  for (LoadedModule& loaded : find_modules(regions_, memory, places)) {
    if (loaded.in_memory) modules_.push_back(std::move(loaded.module));
  }
}

std::unique_ptr<Memory> open_process(uint32_t pid) {
  return std::make_unique<ProcessMemory>(pid);
}

}  // namespace heapledger::cores
