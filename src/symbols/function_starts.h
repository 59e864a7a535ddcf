// Where functions begin according to the unwind tables, which even stripped files have: what has no
// name is called by that, so that all calls in one function are known as one function's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"

namespace heapledger {

class FunctionStarts {
 public:
  // `image` has to outlive this.
  explicit FunctionStarts(const ElfFile& image);

  // Of the function that the address is in; nothing when no table says so.
  std::optional<uint64_t> of(uint64_t address) const;

 private:
  struct Entry {
    uint64_t start;
    uint64_t description;  // where it is said how long the function is
  };

  std::vector<Entry> entries_;  // sorted
  std::string_view descriptions_;
  uint64_t descriptions_at_ = 0;
};

}  // namespace heapledger
