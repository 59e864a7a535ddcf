// Plays one ledger from its beginning to its end: pairs births and deaths, keeps the accounts, and
// collects what the ledger says about its process. Several replays share accounts and a catalog of
// sites, and are advanced in turn by whoever merges ledgers over common time.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/accounts.h"
#include "analyzer/analysis.h"
#include "analyzer/ledger_file.h"
#include "analyzer/ledger_sites.h"
#include "analyzer/merge.h"
#include "analyzer/pairing.h"
#include "analyzer/process_notes.h"
#include "analyzer/progress.h"

namespace heapledger {

// The resident memory of all processes together.
struct CommonRss {
  uint64_t now = 0;
  uint64_t peak = 0;
};

// The stamps of two threads are trusted to be this close.
inline constexpr uint64_t kSlackNs = 10'000;
inline constexpr uint64_t kForkedSlackNs = 1'000;

Slack slack_for(const LedgerFile& file);

class Replay {
 public:
  Replay(LedgerFile& file, uint32_t number, Accounts& accounts, SiteCatalog& catalog,
         CommonRss& rss, Progress& progress);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // The next thing to happen, the end of the process included.
  bool finished() const { return finished_; }
  uint64_t next_time() const;

  // Plays everything up to and including `limit`.
  void run(uint64_t limit);

  // After the end: moves what is known into `facts`.
  void tell(LedgerFacts& facts);

  // Addresses that a forked process freed without having allocated them.
  std::vector<uint64_t> take_foreign_deaths() { return std::move(foreign_deaths_); }

  const LedgerClock& clock() const { return file_.clock(); }

  // For Merge:
  void prefetch(const format::Entry& entry) const { pairing_.live().prefetch(entry.pointer); }
  void block_opened(Stream& stream);
  void entry(Stream& stream, const format::Entry& entry);
  void resized(Stream& stream, const format::Entry& entry);

  // For Pairing:
  void born(const LiveBlock& block);
  void died(const LiveBlock& block, const Death& death);
  void never_born(uint64_t address, const Death& death);
  void never_died(const LiveBlock& block, uint64_t time);

 private:
  void allocated(Stream& stream, const format::Entry& entry);
  void freed(Stream& stream, const format::Entry& entry);
  void resize_begins(Stream& stream, const format::Entry& entry);
  void noted(Stream& stream, const format::Entry& entry);
  void sampled(const format::Entry& entry);
  void process_ended();
  void pass_safe_time();
  uint64_t end_time() const;

  LedgerFile& file_;
  Accounts& accounts_;
  CommonRss& rss_;
  Progress& progress_;
  LedgerSites sites_;
  Merge merge_;
  Pairing<Replay> pairing_;
  ProcessNotes notes_;

  uint32_t number_;
  bool forked_;
  bool finished_ = false;
  bool beyond_safe_time_ = false;
  bool still_running_ = false;
  uint64_t last_time_ = 0;
  uint64_t live_bytes_ = 0;
  uint64_t live_blocks_ = 0;
  uint64_t peak_time_ = 0;
  uint64_t rss_now_ = 0;
  Totals totals_;
  std::array<uint64_t, 64> entries_by_kind_{};
  std::vector<uint64_t> last_allocated_;  // by thread: the block its last operation returned
  std::vector<uint64_t> foreign_deaths_;
};

}  // namespace heapledger
