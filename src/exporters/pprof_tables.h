// What the samples of a pprof profile refer to: texts, mappings, functions and locations, each
// written once, when it is first asked for. Names are escaped as in a report, so that no name does
// anything to a terminal or to the lines of pprof's text forms.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/query.h"
#include "exporters/output.h"
#include "exporters/pprof_fields.h"

namespace heapledger::pprof {

// The top of the message: its fields go out as they come, so no profile has to fit into memory.
class ProfileWriter {
 public:
  explicit ProfileWriter(Output& output) : output_(output) {}

  Builder<Profile>& fields() { return fields_; }

  // After a field. None may be open.
  void flush_if_large() {
    if (bytes_.size() >= kFlushBytes) flush();
  }
  void flush() {
    output_.write(bytes_);
    bytes_.clear();
  }

 private:
  static constexpr size_t kFlushBytes = size_t{1} << 16;

  Output& output_;
  std::string bytes_;
  Builder<Profile> fields_{bytes_};
};

class Tables {
 public:
  // Writes the mapping of the main program, which has to be the first.
  Tables(Ledgers& ledgers, ProfileWriter& writer);

  // The number of a text, which is escaped already.
  int64_t text(std::string_view text);

  // The locations of a site, the innermost first; at least one.
  void locations_of(uint32_t site, std::vector<uint64_t>& locations);

  // At the end: all the texts.
  void write_texts();

 private:
  // Where a module was in the first process that had it. Another process may have had it elsewhere;
  // one mapping stands for all of them.
  struct Placement {
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t bias = 0;
  };
  using Key = std::pair<uint64_t, uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const {
      uint64_t sum = (key.first ^ key.second << 40) * 0x9E3779B97F4A7C15ull;
      return static_cast<size_t>(sum ^ sum >> 29);
    }
  };

  void place_modules();
  uint64_t add_mapping(const Placement& placement, int64_t file, std::string_view build_id);
  uint64_t mapping_of(uint32_t module);
  uint64_t function_of(const NamedFrame& frame);
  uint64_t add_location(uint32_t module, uint64_t address, std::span<const NamedFrame> frames);
  uint64_t location_of(uint32_t node);
  uint64_t location_without_stack();

  Ledgers& ledgers_;
  ProfileWriter& writer_;
  std::deque<std::string> texts_;  // views of them are keys
  tsl::robin_map<std::string_view, int64_t> text_numbers_;
  std::vector<Placement> placements_;  // by module of the catalog
  std::vector<uint64_t> mappings_;     // likewise; 0: not written
  uint64_t mapping_count_ = 0;
  tsl::robin_map<Key, uint64_t, KeyHash> functions_;  // by name and file
  tsl::robin_map<Key, uint64_t, KeyHash> locations_;  // by address and module
  uint64_t location_count_ = 0;
  uint64_t without_stack_ = 0;
};

}  // namespace heapledger::pprof
