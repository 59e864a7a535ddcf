// The mappings of this process with what is resident of each, as /proc/self/smaps has them: read
// through a small buffer, without allocating, with nothing kept but the mapping at hand.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapledger::runtime {

struct MappedMemory {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t inode = 0;
  bool writable = false;
  bool executable = false;
  bool accessible = false;  // in any way
  bool shared = false;
  char name[32] = {};  // the last part of the path, or what the kernel calls it; cut
  uint64_t resident = 0;
  uint64_t swapped = 0;
};

// One user at a time. False when there are no more.
class SmapsReader {
 public:
  explicit SmapsReader(int fd) : fd_(fd) {}
  bool next(MappedMemory& mapping);

 private:
  bool line();
  void read_head(MappedMemory& mapping) const;
  bool is_head() const;

  int fd_;
  size_t used_ = 0;   // bytes in the buffer
  size_t at_ = 0;     // where the line after this one begins
  size_t begin_ = 0;  // of the line at hand
  bool has_line_ = false;
};

}  // namespace heapledger::runtime
