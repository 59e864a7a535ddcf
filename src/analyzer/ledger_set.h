// The ledgers that are analysed together, and what is kept of them between one pass and the next:
// how to open them, their clocks, their sites. A pass opens all of them, scans them in common time
// to a book, and closes each when its process has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/heaps.h"
#include "analyzer/ledger_file.h"
#include "analyzer/ledger_sites.h"
#include "analyzer/options.h"
#include "analyzer/process_scan.h"
#include "analyzer/progress.h"
#include "analyzer/quiet_book.h"
#include "analyzer/sampling.h"
#include "analyzer/seal/checkpoint_keeper.h"
#include "analyzer/site_catalog.h"

namespace heapledger {

class IndexingBook;
class OverviewBook;

class LedgerSet {
 public:
  using Opener = std::function<std::unique_ptr<ByteSource>()>;

  // Opens each once. Throws Error when none can be opened; otherwise those that cannot are left
  // out and are in refusals().
  LedgerSet(std::vector<Opener> openers, Options options);

  size_t size() const { return ledgers_.size(); }
  const std::vector<Error>& refusals() const { return refusals_; }
  const Options& options() const { return options_; }
  const LedgerClock& clock(uint32_t ledger) const { return ledgers_[ledger].clock; }
  double ns_per_unit(uint32_t ledger) const { return ledgers_[ledger].ns_per_unit; }
  // What the blocks of a ledger stand for, as far as it has been read.
  const Sampling& sampling(uint32_t ledger) const { return ledgers_[ledger].sampling; }
  Sampling& sampling(uint32_t ledger) { return ledgers_[ledger].sampling; }
  SiteCatalog& catalog() const { return *catalog_; }

  // Common time: nanoseconds since the start of the earliest ledger, and back to the wall clock.
  uint64_t since_start(uint64_t wall_ns) const {
    return wall_ns > start_wall_ns_ ? wall_ns - start_wall_ns_ : 0;
  }
  uint64_t since_start(Moment moment) const {
    return since_start(clock(moment.ledger).wall_ns(moment.time));
  }
  uint64_t wall_ns(uint64_t since_start) const {
    uint64_t sum = start_wall_ns_ + since_start;
    return sum < start_wall_ns_ ? UINT64_MAX : sum;
  }

  // The last time unit of a ledger that is not after a common time.
  uint64_t units_at(uint32_t ledger, uint64_t since_start) const {
    return clock(ledger).units_at_wall(wall_ns(since_start));
  }

  const HeapCatalog& heaps() const { return *heaps_; }

  // For those who read a ledger by themselves: opened once more, and what its sites are.
  std::unique_ptr<LedgerFile> open(uint32_t ledger) { return take_or_open(ledgers_[ledger]); }
  LedgerSites& sites_of(uint32_t ledger) { return *ledgers_[ledger].sites; }
  LedgerParts parts_of(uint32_t ledger) {
    Ledger& of = ledgers_[ledger];
    return {*of.sites, of.sampling, *of.heaps, *heaps_};
  }

  // When the last process ended, as far as that is known before anything is read: of sealed ones,
  // and of processes that came to their exit.
  std::optional<uint64_t> known_end_ns() const;

  // How much the next pass has to read, before anything is read.
  uint64_t work_bytes() const;

  // Those that the first pass over malloc's heap has left.
  std::vector<seal::StoredCheckpoint> take_checkpoints(uint32_t ledger) {
    auto& keeper = ledgers_[ledger].checkpoints;
    return keeper ? keeper->take() : std::vector<seal::StoredCheckpoint>();
  }

  // One pass over the chosen heaps. `closing` is called when a process has ended; `stop` with the
  // number of each of `stops` (common time, ascending) when it has come. While it runs,
  // book.tables() has the table of live blocks of every process; nullptr after its end.
  using Stops = std::span<const uint64_t>;
  using Stop = std::function<void(size_t)>;
  using Closing = std::function<void(uint32_t ledger, ProcessScan&, LedgerFile&)>;
  void scan(QuietBook& book, const HeapChoice& choice, Stops stops, Progress& progress,
            const Stop& stop, const Closing& closing = nullptr);
  void scan(IndexingBook& book, const HeapChoice& choice, Stops stops, Progress& progress,
            const Stop& stop, const Closing& closing = nullptr);
  void scan(OverviewBook& book, const HeapChoice& choice, Progress& progress,
            const Closing& closing);

  // A pass over malloc's heap of one ledger alone.
  void scan_one(uint32_t ledger, QuietBook& book, Progress& progress);

 private:
  struct Ledger {
    Opener open;
    std::unique_ptr<LedgerFile> file;  // until the first pass
    std::unique_ptr<LedgerSites> sites;
    std::unique_ptr<LedgerHeaps> heaps;
    LedgerClock clock;
    double ns_per_unit = 1;
    Sampling sampling;
    std::optional<seal::CheckpointKeeper> checkpoints;
  };

  std::unique_ptr<LedgerFile> take_or_open(Ledger& ledger);
  template <typename Book>
  void scan_all(Book& book, const HeapChoice& choice, Stops stops, Progress& progress,
                const Closing& closing, const Stop& stop);

  Options options_;
  std::unique_ptr<SiteCatalog> catalog_ = std::make_unique<SiteCatalog>();
  std::unique_ptr<HeapCatalog> heaps_ = std::make_unique<HeapCatalog>();
  std::vector<Ledger> ledgers_;
  std::vector<Error> refusals_;
  uint64_t start_wall_ns_ = UINT64_MAX;
};

}  // namespace heapledger
