// A process whose threads stand still while it is looked at. They are seized, not stopped by a
// signal: nobody but the kernel notices, and when this process dies, they go on by themselves.
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "cores/elf_registers.h"
#include "cores/memory.h"
#include "cores/process_files.h"
#include "cores/process_memory.h"
#include "elf/reader.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

// The threads of a process, held for as long as this lives. The thread that makes it has to be the
// one that ends it: the kernel knows tracers by thread.
class HeldThreads {
 public:
  explicit HeldThreads(uint32_t pid) : pid_(pid) {
    try {
      hold_all();
    } catch (...) {
      release();
      throw;
    }
  }
  ~HeldThreads() { release(); }
  HeldThreads(const HeldThreads&) = delete;
  HeldThreads& operator=(const HeldThreads&) = delete;

  const std::set<uint32_t>& tids() const { return tids_; }

 private:
  // Threads that still run may start others: it is over when a look finds no new one.
  void hold_all() {
    for (bool found = true; found;) {
      found = false;
      for (uint32_t tid : threads_of_process(pid_)) {
        if (!tids_.contains(tid) && !ended_.contains(tid)) found = hold(tid) || found;
      }
    }
    if (tids_.empty()) refuse_process(pid_, ESRCH);
  }

  bool hold(uint32_t tid) {
    auto thread = static_cast<pid_t>(tid);
    if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
      int error = errno;
      // Any thread may end meanwhile; one that has ended and is not yet waited for says EPERM.
      bool gone = error == ESRCH || (error == EPERM && tid != pid_ && !tids_.empty());
      bool readable = std::ifstream("/proc/" + std::to_string(pid_) + "/maps").is_open();
      bool all_gone = error == EPERM && readable && regions_of_process(pid_).empty();
      if (!gone) refuse_process(pid_, all_gone ? ESRCH : error);
      ended_.insert(tid);
      return true;
    }
    tids_.insert(tid);
    ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
    int status = 0;
    pid_t waited = wait_for(thread, status);
    if (waited == 0) return true;
    if (waited != thread || !WIFSTOPPED(status)) {
      tids_.erase(tid);
      ended_.insert(tid);
      return true;
    }
    // Without an event, a signal was on its way: it is delivered when the thread goes on.
    if (status >> 16 == 0) signals_.emplace_back(tid, WSTOPSIG(status));
    return true;
  }

  // 0: it does not stop, because it waits in the kernel for something that no signal ends, like a
  // parent in vfork(). It runs no code meanwhile, which is what matters; it has no registers.
  static pid_t wait_for(pid_t thread, int& status) {
    constexpr int kLongest = 2000;  // milliseconds
    for (int i = 0; i < kLongest; ++i) {
      pid_t waited = ::waitpid(thread, &status, __WALL | WNOHANG);
      if (waited != 0 && !(waited < 0 && errno == EINTR)) return waited;
      if (i > 10) ::usleep(1000);
    }
    return 0;
  }

  void release() {
    for (uint32_t tid : tids_) {
      auto place = std::find_if(signals_.begin(), signals_.end(),
                                [&](const auto& signal) { return signal.first == tid; });
      intptr_t signal = place == signals_.end() ? 0 : place->second;
      ::ptrace(PTRACE_DETACH, static_cast<pid_t>(tid), nullptr, signal);
    }
    tids_.clear();
  }

  uint32_t pid_;
  std::set<uint32_t> tids_;
  std::set<uint32_t> ended_;
  std::vector<std::pair<uint32_t, int>> signals_;
};

// The registers of one that stands still. The kernel gives as many bytes as its machine has.
bool read_registers(uint32_t tid, Shape shape, Thread& thread) {
  alignas(8) unsigned char bytes[1024];
  iovec place{bytes, sizeof(bytes)};
  auto id = static_cast<pid_t>(tid);
  auto kind = static_cast<uintptr_t>(NT_PRSTATUS);
  if (::ptrace(PTRACE_GETREGSET, id, kind, &place) != 0) return false;
  auto got = std::span<const unsigned char>(bytes).first(place.iov_len);
  decode_registers(got, shape, thread);
  if (shape.machine == elf::kMachineI386) return true;  // its segments are not asked for
  uint64_t pointer = 0;
  iovec word{&pointer, sizeof(pointer)};
  auto tls = static_cast<uintptr_t>(NT_ARM_TLS);
  bool arm = shape.machine == elf::kMachineArm64 || shape.machine == elf::kMachineArm;
  if (arm && ::ptrace(PTRACE_GETREGSET, id, tls, &word) == 0) {
    thread.thread_pointer = pointer;
  }
  return true;
}

class StoppedProcess final : public Memory {
 public:
  explicit StoppedProcess(uint32_t pid) : held_(pid), memory_(pid) {
    for (Thread thread : memory_.threads()) {
      if (!held_.tids().contains(thread.tid)) continue;
      if (!read_registers(thread.tid, shape(), thread)) ++without_registers_;
      threads_.push_back(std::move(thread));
    }
  }

  size_t read(uint64_t address, std::span<unsigned char> out) const override {
    return memory_.read(address, out);
  }
  uint64_t next_data(uint64_t address) const override { return memory_.next_data(address); }
  const std::vector<Region>& regions() const override { return memory_.regions(); }
  const std::vector<Module>& modules() const override { return memory_.modules(); }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return memory_.shape(); }
  uint32_t pid() const override { return memory_.pid(); }
  std::string executable() const override { return memory_.executable(); }
  std::vector<std::string> command() const override { return memory_.command(); }
  std::vector<std::string> problems() const override {
    if (without_registers_ == 0) return {};
    return {"the registers of " + counted(without_registers_, "thread") + " could not be read"};
  }

 private:
  HeldThreads held_;  // first: all that is read is read while they stand still
  ProcessMemory memory_;
  std::vector<Thread> threads_;
  size_t without_registers_ = 0;
};

}  // namespace

std::unique_ptr<Memory> stop_process(uint32_t pid) {
  return std::make_unique<StoppedProcess>(pid);
}

}  // namespace heapledger::cores
