// The ledgers that are analysed together, and what is kept of them between one pass and the next:
// how to open them, their clocks, their sites. A pass opens all of them, scans them in common time
// to a book, and closes each when its process has ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/common_time.h"
#include "analyzer/error.h"
#include "analyzer/heaps.h"
#include "analyzer/ledger_sites.h"
#include "analyzer/options.h"
#include "analyzer/sampling.h"
#include "analyzer/scan.h"
#include "analyzer/seal/checkpoint_keeper.h"
#include "analyzer/site_catalog.h"

namespace heapledger {

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

  // When the last process ended, as far as that is known before anything is read: of sealed ones.
  std::optional<uint64_t> known_end_ns() const;

  // Those that the first pass over malloc's heap has left.
  std::vector<seal::StoredCheckpoint> take_checkpoints(uint32_t ledger) {
    auto& keeper = ledgers_[ledger].checkpoints;
    return keeper ? keeper->take() : std::vector<seal::StoredCheckpoint>();
  }

  // One pass over the chosen heaps. `closing(number, scan, file)` is called when a process has
  // ended; `stop(i)` when the i-th of `stops` (common time, ascending) has come. While it runs,
  // book.tables() has the table of live blocks of every process; nullptr after its end.
  template <typename Book, typename Closing, typename Stop>
  void scan(Book& book, const HeapChoice& choice, std::span<const uint64_t> stops,
            Progress& progress, Closing&& closing, Stop&& stop) {
    struct Work {
      std::unique_ptr<LedgerFile> file;
      std::unique_ptr<Scan<Book>> scan;
    };
    std::vector<Work> works(ledgers_.size());
    std::vector<Scan<Book>*> scans;
    std::vector<LiveHeaps*>& tables = book.tables();
    for (uint32_t i = 0; i < ledgers_.size(); ++i) {
      Ledger& ledger = ledgers_[i];
      works[i].file = take_or_open(ledger);
      progress.expect(works[i].file->work_bytes());
      ledger.sites->set_accounts(book);
      LedgerParts parts = parts_of(i);
      if (options_.checkpoints && choice.has_malloc && !ledger.checkpoints) {
        parts.checkpoints =
            &ledger.checkpoints.emplace(works[i].file->index(), *options_.checkpoints);
      }
      works[i].scan =
          std::make_unique<Scan<Book>>(*works[i].file, i, parts, choice, book, progress);
      scans.push_back(works[i].scan.get());
      tables.push_back(&works[i].scan->live());
    }
    std::vector<uint64_t> walls;
    for (uint64_t time : stops) walls.push_back(wall_ns(time));
    auto ended = [&](size_t number) {
      tables[number] = nullptr;
      closing(static_cast<uint32_t>(number), *works[number].scan, *works[number].file);
      works[number] = {};
    };
    run_in_common_time(scans, walls, ended, stop);
    tables.clear();
  }

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

  Options options_;
  std::unique_ptr<SiteCatalog> catalog_ = std::make_unique<SiteCatalog>();
  std::unique_ptr<HeapCatalog> heaps_ = std::make_unique<HeapCatalog>();
  std::vector<Ledger> ledgers_;
  std::vector<Error> refusals_;
  uint64_t start_wall_ns_ = UINT64_MAX;
};

}  // namespace heapledger
