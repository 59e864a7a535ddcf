// The tables of a profile for the Firefox Profiler that all threads share: texts, libraries,
// functions, frames and stacks. They grow with the number of sites.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/exporter.h"

namespace heapledger {

class FirefoxStacks {
 public:
  explicit FirefoxStacks(Ledgers& ledgers) : ledgers_(ledgers) {}

  // Places in the tables.
  uint32_t stack_of(uint32_t site);
  uint32_t text(std::string_view bytes);

  // `"shared":{…},"libs":[…],`
  void write(Output& output) const;

 private:
  using Keys = tsl::robin_map<std::string, uint32_t>;

  struct Function {
    uint32_t name = 0;
    int64_t resource = -1;
    int64_t source = -1;
  };
  struct FrameRow {
    uint32_t function = 0;
    int64_t address = -1;
    uint32_t depth = 0;  // of inlining
    uint32_t line = 0;   // 0: unknown
  };
  struct StackRow {
    uint32_t frame = 0;
    int64_t prefix = -1;
  };

  uint32_t library(const std::string& path);
  uint32_t source(const std::string& file);
  uint32_t function(const NamedFrame& frame);
  uint32_t frame(const NamedFrame& named, uint32_t depth);
  uint32_t stack(uint32_t frame, int64_t prefix);
  void write_frames(Output& output) const;
  void write_functions(Output& output) const;

  Ledgers& ledgers_;
  Keys texts_;
  std::vector<std::string> text_list_;  // as they stand in JSON
  Keys libraries_;                      // a resource each
  std::vector<std::string> library_list_;
  Keys sources_;
  std::vector<uint32_t> source_list_;
  Keys functions_;
  std::vector<Function> function_list_;
  Keys frames_;
  std::vector<FrameRow> frame_list_;
  Keys stacks_;
  std::vector<StackRow> stack_list_;
  tsl::robin_map<uint32_t, uint32_t> by_site_;
};

// `"name":[…],`: one column of a table, each value as `value` writes it.
template <typename Rows, typename Value>
void write_column(Output& output, std::string_view name, const Rows& rows, const Value& value) {
  output.write('"');
  output.write(name);
  output.write("\":[");
  bool first = true;
  for (const auto& row : rows) {
    if (!first) output.write(',');
    first = false;
    output.write(std::string(value(row)));
  }
  output.write("],");
}

}  // namespace heapledger
