// The part of a replay that has nothing to do with who keeps the books: what the ledger says about
// its process, its sites, its totals, and when it ended.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/account_numbers.h"
#include "analyzer/analysis.h"
#include "analyzer/ledger_file.h"
#include "analyzer/ledger_sites.h"
#include "analyzer/pairing.h"
#include "analyzer/process_notes.h"
#include "analyzer/progress.h"
#include "analyzer/stream.h"

namespace heapledger {

// The stamps of two threads are trusted to be this close.
inline constexpr uint64_t kSlackNs = 10'000;
inline constexpr uint64_t kForkedSlackNs = 1'000;

Slack slack_for(const LedgerFile& file);

// The resident memory of a process as sampled.
struct MemorySample {
  uint64_t time = 0;
  uint64_t rss = 0;
  uint64_t most = 0;  // the most there was since the sample before
  bool rose = false;  // the high-water mark has risen since then
  bool has_file_rss = false;
  uint64_t file_rss = 0;
};

class ReplayProcess {
 public:
  ReplayProcess(const ReplayProcess&) = delete;
  ReplayProcess& operator=(const ReplayProcess&) = delete;

  // After the end: moves what is known into `facts`.
  void tell(LedgerFacts& facts);

  // Addresses that a forked process freed without having allocated them.
  std::vector<uint64_t> take_foreign_deaths() { return std::move(foreign_deaths_); }

  const LedgerClock& clock() const { return file_.clock(); }

 protected:
  ReplayProcess(LedgerFile& file, uint32_t number, LedgerSites& sites, Progress& progress);
  ~ReplayProcess() = default;

  void begin_block(Stream& stream);
  void note(Stream& stream, const format::Entry& entry);
  bool read_sample(const format::Entry& entry, MemorySample& sample);
  void died_unborn(uint64_t address);
  uint64_t end_time() const;

  LedgerFile& file_;
  LedgerSites& sites_;
  Progress& progress_;
  ProcessNotes notes_;

  uint32_t number_;
  bool forked_;
  bool still_running_ = false;
  uint64_t last_time_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t live_blocks_ = 0;
  uint64_t peak_time_ = 0;
  Totals totals_;
  std::array<uint64_t, 64> entries_by_kind_{};
  std::vector<uint64_t> last_allocated_;  // by thread: the block its last operation returned
  std::vector<uint64_t> foreign_deaths_;
};

}  // namespace heapledger
