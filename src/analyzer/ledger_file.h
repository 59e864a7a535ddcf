// One ledger, opened: its header checked, its blocks indexed, and the payload of any block on
// request. Everything read is checked against bounds; what is damaged or missing is noted in
// problems() and left out, the rest stays usable. Throws Error only when there is no ledger to
// speak of. Not for use by several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/block_index.h"
#include "analyzer/byte_source.h"
#include "analyzer/clock.h"
#include "analyzer/problems.h"
#include "format/layout.h"

namespace heapledger {

// The entries of one filling of a window, still encoded.
struct Payload {
  std::vector<unsigned char> bytes;
  uint64_t base_time = 0;
  uint32_t thread = 0;
};

class LedgerFile {
 public:
  // `check_sums` is false only in fuzzers, which would never get past them.
  explicit LedgerFile(std::unique_ptr<ByteSource> source, bool check_sums = true);

  const std::string& name() const { return source_->name(); }
  const format::FileHeader& header() const { return header_; }
  const LedgerClock& clock() const { return clock_; }
  const BlockIndex& index() const { return index_; }
  uint64_t size() { return source_->size(); }

  // Everything up to this time was in the file when it was opened, whatever is added meanwhile.
  uint64_t safe_time() const;

  // Whether somebody has written to the file since it was opened.
  bool has_changed();

  // Reads one filling of a window from the first of its places that is sound; false when none is.
  bool load(WindowBlocks places, Payload& payload);

  // The same for a look ahead: what is wrong will be noted when the filling is read in its turn.
  bool load_quietly(WindowBlocks places, Payload& payload);

  Problems& problems() { return problems_; }

 private:
  void read_header();
  void find_clock_pair();
  uint64_t offset_of(uint64_t block) const;
  bool load_chunk(uint64_t block, uint32_t window, uint64_t seq, Payload& payload);
  bool load_window(const BlockRef& place, Payload& payload);
  bool find_chunk(uint64_t from, uint32_t window, uint64_t seq, Payload& payload);

  std::unique_ptr<ByteSource> source_;
  bool check_sums_;
  format::FileHeader header_{};
  uint64_t opened_size_ = 0;
  LedgerClock clock_;
  BlockIndex index_;
  Problems problems_;
  std::vector<unsigned char> scratch_;
};

}  // namespace heapledger
