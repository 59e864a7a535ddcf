// A file that is read in many small steps: the last windows that were read are kept, so that a step
// is seldom a system call. Never mapped: a file that shrinks gives an Error, not SIGBUS.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/byte_source.h"

namespace heapledger::cores {

// What becomes of bytes that cannot be had any more.
enum class Faults {
  kTold,     // an Error
  kMissing,  // they are not there: a file that others can do without
};

class ByteWindows {
 public:
  explicit ByteWindows(std::unique_ptr<ByteSource> source, size_t windows = 64,
                       Faults faults = Faults::kTold);

  const std::string& name() const { return source_->name(); }
  uint64_t size() const { return size_; }
  uint64_t next_data(uint64_t offset) { return source_->next_data(offset); }

  // Returns how many bytes there were.
  size_t read(uint64_t offset, std::span<unsigned char> out);

 private:
  struct Window {
    uint64_t number = UINT64_MAX;  // its offset in window sizes
    std::vector<unsigned char> bytes;
  };

  const Window& window(uint64_t number);
  size_t fetch(uint64_t offset, void* to, size_t count);

  std::unique_ptr<ByteSource> source_;
  uint64_t size_;
  Faults faults_;
  std::vector<Window> windows_;
};

// Throws Error: the file, which had `size` bytes, has been cut while it was read.
[[noreturn]] void fail_shrunk(ByteSource& source, uint64_t size);

}  // namespace heapledger::cores
