// The text that massif writes: snapshots in the order of time, some with a tree of stacks. Throws
// Error, with the line, on whatever is not that. The lines of a tree are counted, as each says how
// many are below it; so a file that ends in the middle is noticed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/line_source.h"
#include "importers/named_sites.h"

namespace heapledger {

struct MassifSnapshot {
  uint64_t time_ns = 0;
  uint64_t bytes = 0;
  bool has_stacks = false;
  std::vector<std::pair<uint32_t, uint64_t>> stacks;  // sites and their bytes, by site
};

class MassifFile {
 public:
  MassifFile(LineSource& lines, NamedSites& sites) : lines_(lines), sites_(sites) {}

  std::vector<MassifSnapshot> read();
  const std::string& command() const { return command_; }

  static bool is_first_line(std::string_view line) { return line.starts_with("desc: "); }

 private:
  struct Node {  // a line of a tree that has others below it, which are being read
    uint64_t below = 0;
    uint64_t bytes = 0;  // of it that none of those has
    uint64_t line = 0;
    bool is_frame = false;
  };

  [[noreturn]] void fail(const std::string& what) const;
  bool next(std::string_view& line);
  std::string_view value_of(std::string_view key);
  uint64_t number_of(std::string_view key);
  void heading();
  MassifSnapshot snapshot();
  void tree(MassifSnapshot& snapshot);
  void tree_line(std::string_view line);
  void close_nodes(MassifSnapshot& snapshot);

  LineSource& lines_;
  NamedSites& sites_;
  std::string command_;
  uint64_t unit_ns_ = 0;
  std::vector<Node> nodes_;       // from the root to the line that was read last
  std::vector<uint32_t> frames_;  // of these lines
};

}  // namespace heapledger
