// The tree of one snapshot as massif writes it: from the function that allocates outwards. What is
// below the threshold shares a line; the lines below a line add up to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query.h"
#include "exporters/output.h"

namespace heapledger {

// Keeps the frames of the stacks it has seen: snapshots have most of them in common.
class MassifTrees {
 public:
  MassifTrees(Ledgers& ledgers, Output& output) : ledgers_(ledgers), output_(output) {}

  // Of an answer by site: its live bytes.
  void write(const Answer& answer);

 private:
  struct Part {
    const std::vector<uint32_t>* stack;  // innermost first, numbers of labels_
    uint64_t bytes;
  };
  using Parts = std::span<const Part>;
  struct Child {
    Parts parts;
    uint64_t bytes = 0;
    bool ends = false;  // what ends at its parent
  };
  struct Children {
    std::vector<Child> shown;  // the largest first
    uint64_t hidden = 0;
    uint64_t hidden_bytes = 0;
  };

  const std::vector<uint32_t>& stack_of(uint32_t site);
  Children children_of(Parts parts, size_t depth) const;
  void write_node(Parts parts, size_t depth, uint64_t bytes, std::string_view label);
  void write_line(size_t depth, size_t children, uint64_t bytes, std::string_view label);

  Ledgers& ledgers_;
  Output& output_;
  uint64_t least_ = 0;  // bytes of a line of its own
  std::map<uint32_t, std::vector<uint32_t>> stacks_;
  std::map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> labels_;  // of numbers_
};

}  // namespace heapledger
