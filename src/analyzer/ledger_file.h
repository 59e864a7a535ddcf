// One ledger, opened: its header checked, its extents indexed, and the payload of any extent on
// request. A sealed ledger gives the same answers as the raw one it was made of. Everything read is
// checked against bounds; what is damaged or missing is noted in problems() and left out, the rest
// stays usable. Throws Error only when there is no ledger to speak of. Not for use by several
// threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/byte_source.h"
#include "analyzer/clock.h"
#include "analyzer/extent_index.h"
#include "analyzer/problems.h"
#include "analyzer/seal/checkpoint.h"
#include "format/count_table.h"
#include "format/entry_decoder.h"
#include "format/layout.h"
#include "format/unrecorded.h"

namespace heapledger {

namespace seal {
class SealedFile;
}

// The entries of one filling of a window, still encoded.
struct Payload {
  std::vector<unsigned char> bytes;
  uint64_t base_time = 0;
  uint32_t thread = 0;
  bool cut = false;  // it is from a window that is damaged further on
};

class LedgerFile {
 public:
  // `check_sums` is false only in fuzzers, which would never get past them.
  explicit LedgerFile(std::unique_ptr<ByteSource> source, bool check_sums = true);
  ~LedgerFile();
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;

  const std::string& name() const { return source_->name(); }
  const format::FileHeader& header() const { return header_; }
  const LedgerClock& clock() const { return clock_; }
  const ExtentIndex& index() const { return index_; }
  uint64_t size() { return source_->size(); }

  // How much there is to read, in bytes of extents: what progress is measured against.
  uint64_t work_bytes() const { return index_.extents() * format::kExtentBytes; }

  // Everything up to this time was in the file when it was opened, whatever is added meanwhile.
  uint64_t safe_time() const;

  // Whether somebody has written to the file since it was opened, or has cut it.
  bool has_changed();
  bool has_shrunk() { return source_->size() < opened_size_; }

  // When it was cut, that is one of its problems from now on.
  void tell_if_cut();

  // Reads one filling of a window from the first of its places that is sound; false when none is.
  bool load(WindowExtents places, Payload& payload);

  // The same for a look ahead: what is wrong will be noted when the filling is read in its turn.
  bool load_quietly(WindowExtents places, Payload& payload);

  // The tables of count mode that are in use.
  std::vector<format::CountTable> count_tables();

  // The table of programs that could not be recorded; all zeros where the ledger has none.
  format::UnrecordedTable unrecorded();

  Problems& problems() { return problems_; }

  // --- what only a sealed ledger has ---

  bool sealed() const { return sealed_ != nullptr; }

  // The symbols that were stored with it, as SymbolTable::encode() gave them.
  std::optional<std::string> stored_symbols();

  // The live blocks at the last moment that is not after `time` (in units) for which they are
  // stored. seal/live_scan.h shows how to go on from there.
  std::optional<seal::Checkpoint> checkpoint_before(uint64_t time);
  size_t checkpoints() const;

  // The time of the last entry; 0 when it is not sealed.
  uint64_t last_time() const;

  // All notes (threads, sites, modules, samples …) up to `time`, read without the rest: the notes
  // of one window in their order, one window's frames after the other's. `thread` is the one in
  // charge at the beginning of the filling. False when some could not be read, or when it is not
  // sealed.
  using UseNote = std::function<void(uint32_t window, uint32_t thread, const format::Entry&)>;
  bool for_each_note(uint64_t time, const UseNote& use);

 private:
  void open_raw();
  void open_sealed();
  void check_header() const;
  [[noreturn]] void refuse(const std::string& why) const;
  void find_clock_pair();
  uint64_t offset_of(uint64_t extent) const;
  bool load_chunk(uint64_t extent, uint32_t window, uint64_t seq, Payload& payload);
  bool load_window(const ExtentRef& place, Payload& payload);
  bool load_sealed(const ExtentRef& place, Payload& payload);
  bool find_chunk(uint64_t from, uint32_t window, uint64_t seq, Payload& payload);

  std::unique_ptr<ByteSource> source_;
  bool check_sums_;
  format::FileHeader header_{};
  std::unique_ptr<seal::SealedFile> sealed_;
  format::FileHeader first_bytes_{};  // of the file, for has_changed()
  bool told_of_cut_ = false;
  uint64_t opened_size_ = 0;
  LedgerClock clock_;
  ExtentIndex index_;
  Problems problems_;
  std::vector<unsigned char> scratch_;
};

}  // namespace heapledger
