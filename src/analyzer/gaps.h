// The times in which a process, or one of its threads, was not recorded block by block: switched
// off, or in a mode that enters no blocks (count, log), or that does not know the blocks of the
// mode before it. What was freed in a gap is still live by the ledger, until its address is used
// again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heapledger {

struct Gap {
  uint64_t begin;
  uint64_t end;
};

class Gaps {
 public:
  explicit Gaps(uint32_t first_mode) : mode_(first_mode) {}

  // An entry of kind kMode.
  void change(uint64_t time, std::string_view fields);

  // What the process is in at last.
  uint64_t mode() const { return mode_; }

  // Of the process and of threads.
  uint64_t count() const { return count_; }

  // For how long the process was not recorded, up to `end`.
  uint64_t units(uint64_t end) const { return units_ + (open_ && end > since_ ? end - since_ : 0); }

  // When that was, in the order of time; the first so many.
  std::vector<Gap> times(uint64_t end) const;

 private:
  uint64_t mode_;
  uint64_t count_ = 0;
  uint64_t units_ = 0;
  uint64_t since_ = 0;
  bool open_ = false;
  std::vector<Gap> closed_;
};

}  // namespace heapledger
