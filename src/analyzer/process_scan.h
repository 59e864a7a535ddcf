// The part of a scan that has nothing to do with who keeps the books: what the ledger says about
// its process, its sites, its totals, and when it ended.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/account_numbers.h"
#include "analyzer/accounts.h"
#include "analyzer/gaps.h"
#include "analyzer/heaps.h"
#include "analyzer/ledger_facts.h"
#include "analyzer/ledger_file.h"
#include "analyzer/ledger_sites.h"
#include "analyzer/pairing.h"
#include "analyzer/process_notes.h"
#include "analyzer/progress.h"
#include "analyzer/sampling.h"
#include "analyzer/stream.h"

namespace heapledger {

namespace seal {
struct Checkpoint;
class CheckpointKeeper;
}  // namespace seal

// The stamps of two threads are trusted to be this close.
inline constexpr uint64_t kSlackNs = 10'000;
inline constexpr uint64_t kForkedSlackNs = 1'000;

Slack slack_for(const LedgerFile& file);

// When the process was last known to live; `last_time` is that of its last entry.
uint64_t end_time_of(const LedgerFile& file, uint64_t last_time);

// What the header and the index say about the process, without its entries but with the threads
// that these tell of. `last_mode` is the one it ended in.
void tell_file(LedgerFile& file, uint64_t end_time, uint64_t last_mode, LedgerFacts& facts);

// The resident memory of a process as sampled.
struct MemorySample {
  uint64_t time = 0;
  uint64_t rss = 0;
  uint64_t most = 0;  // the most there was since the sample before
  bool rose = false;  // the high-water mark has risen since then
  bool has_file_rss = false;
  uint64_t file_rss = 0;
};

// What is kept of a ledger between one pass and the next.
struct LedgerParts {
  LedgerSites& sites;
  Sampling& sampling;
  LedgerHeaps& heaps;
  const HeapCatalog& catalog;
  seal::CheckpointKeeper* checkpoints = nullptr;  // to be made along the way
};

class ProcessScan {
 public:
  ProcessScan(const ProcessScan&) = delete;
  ProcessScan& operator=(const ProcessScan&) = delete;

  // After the end: moves what is known into `facts`.
  void tell(LedgerFacts& facts);

  // Addresses that a forked process freed without having allocated them.
  std::vector<uint64_t> take_foreign_deaths() { return std::move(foreign_deaths_); }

  const LedgerClock& clock() const { return file_.clock(); }

 protected:
  ProcessScan(LedgerFile& file, uint32_t number, LedgerParts parts, Progress& progress);
  ~ProcessScan() = default;

  void begin_extent(Stream& stream);
  void note(Stream& stream, const format::Entry& entry);
  // `account` is that of the block's own site; IdTable::kNone when that is not known.
  void damaged(const Stream& stream, const format::Entry& entry, uint32_t account);
  bool read_sample(const format::Entry& entry, MemorySample& sample);
  // Adds it to the totals, too: all of these blocks were freed.
  bool read_before(const format::Entry& entry, uint32_t& site, SiteBefore& before);
  void died_unborn(uint64_t address);
  void add_marker(const format::Entry& entry);
  uint64_t end_time() const;
  uint64_t entries() const;
  // The state at a moment, as the ledger itself numbers sites and threads.
  seal::Checkpoint checkpoint(uint64_t time, const LiveBlocks& live,
                              std::vector<RecentDeath> recent) const;

  // What the block that an entry tells the birth of stands for.
  Weight weight_of(const format::Entry& entry) const {
    return sampling_.of({entry.pointer, entry.size, entry.end_time, 0, 0});
  }
  // Sampled ledgers: an entry of that kind stands for so many calls, not for one.
  void count_calls(format::Kind kind, uint64_t calls) {
    more_by_kind_[static_cast<unsigned>(kind)] += calls - 1;
  }
  // Counts a call in another heap than malloc's, and gives the heap's number in the catalog.
  uint32_t count_in_heap(const format::HeapEvent& event);
  // The time that the next allocation of a thread stands for; 0 when none was entered.
  uint64_t take_time(uint32_t thread);

  LedgerFile& file_;
  LedgerSites& sites_;
  Sampling& sampling_;
  LedgerHeaps& heaps_;
  Progress& progress_;
  seal::CheckpointKeeper* checkpoints_;  // nullptr: none is wanted
  ProcessNotes notes_;
  Gaps gaps_;
  std::vector<MarkerFacts> markers_;

  uint32_t number_;
  bool forked_;
  bool still_running_ = false;
  uint64_t last_time_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t live_blocks_ = 0;
  uint64_t peak_time_ = 0;
  Totals totals_;
  std::array<uint64_t, 64> entries_by_kind_{};
  std::array<uint64_t, 64> more_by_kind_{};  // calls that these stand for, beside themselves
  FunctionCounts in_other_heaps_{};
  bool has_times_ = false;
  std::vector<uint64_t> times_;           // by thread: what its next allocation stands for
  std::vector<uint64_t> last_allocated_;  // by thread: the block its last operation returned
  std::vector<uint64_t> foreign_deaths_;

  // With guard= only: the accounts of blocks that have died, by address; damage is noticed after.
  const bool guarded_;
  std::unordered_map<uint64_t, uint32_t> dead_accounts_;

 private:
  static constexpr size_t kMaxDamages = 1000;

  std::vector<DamageFacts> damages_;  // sites as the ledger and the accounts number them
  uint64_t damage_count_ = 0;
};

}  // namespace heapledger
