// The memory of a process that runs, as open_process() and stop_process() give it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores {

// Where reading a page would make the process larger: which pages of it are there at all.
class PresentPages {
 public:
  PresentPages(uint32_t pid, uint64_t page_bytes);
  ~PresentPages();
  PresentPages(const PresentPages&) = delete;
  PresentPages& operator=(const PresentPages&) = delete;

  // The first page from `address` on, below `end`, that is in memory or swapped out; `end`: none.
  uint64_t next(uint64_t address, uint64_t end) const;

 private:
  // Flags of the pages from `first` on, as far as they fit.
  bool load(uint64_t first, uint64_t end) const;

  int file_ = -1;
  uint64_t page_bytes_;
  mutable uint64_t first_ = 0;  // of the pages in `flags_`
  mutable std::vector<uint64_t> flags_;
};

class ProcessMemory final : public Memory {
 public:
  // Throws Error when the process is gone or may not be read.
  explicit ProcessMemory(uint32_t pid);
  ~ProcessMemory() override;
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  size_t read(uint64_t address, std::span<unsigned char> out) const override;
  uint64_t next_data(uint64_t address) const override;
  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return shape_; }
  uint32_t pid() const override { return pid_; }
  std::string executable() const override { return executable_; }
  std::vector<std::string> command() const override { return command_; }

 private:
  const Region* region_at(uint64_t address) const;
  void open_memory();
  void find_process_modules();

  uint32_t pid_;
  int file_ = -1;  // /proc/PID/mem, where the system call is not allowed
  Shape shape_;
  PresentPages pages_;
  std::vector<Region> regions_;
  std::vector<Module> modules_;
  std::vector<Thread> threads_;
  std::string executable_;
  std::vector<std::string> command_;
};

// Why this process cannot be read or stopped, and what would help; never returns.
[[noreturn]] void refuse_process(uint32_t pid, int error);

}  // namespace heapledger::cores
