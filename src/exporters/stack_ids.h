// Names for call stacks that are the same wherever a build runs: 128 bits made of the build id and
// the address in the file of every frame, from the outermost inwards. docs/exports.md says how, so
// that others can make them, too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/site_catalog.h"

namespace heapledger {

class StackHash {
 public:
  void add(uint64_t word);
  void add(std::string_view text);
  uint64_t first() const { return a_; }
  std::string bytes() const;  // 16, little-endian

 private:
  uint64_t a_ = 0;
  uint64_t b_ = 0;
};

// By site of the catalog.
std::vector<StackHash> stack_hashes(const SiteCatalog& catalog);

}  // namespace heapledger
