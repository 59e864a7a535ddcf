// LedgerSet: passes over all ledgers. What is told of every entry is compiled here and nowhere
// else: for the books of the first pass, and once for all others.
#include <utility>

#include "analyzer/common_time.h"
#include "analyzer/index/indexing_book.h"
#include "analyzer/ledger_set.h"
#include "analyzer/overview_book.h"
#include "analyzer/scan.h"

namespace heapledger {

template <typename Book>
void LedgerSet::scan_all(Book& book, const HeapChoice& choice, Stops stops, Progress& progress,
                         const Closing& closing, const Stop& stop) {
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
    works[i].scan = std::make_unique<Scan<Book>>(*works[i].file, i, parts, choice, book, progress);
    scans.push_back(works[i].scan.get());
    tables.push_back(&works[i].scan->live());
  }
  std::vector<uint64_t> walls;
  for (uint64_t time : stops) walls.push_back(wall_ns(time));
  auto ended = [&](size_t number) {
    tables[number] = nullptr;
    if (closing) {
      closing(static_cast<uint32_t>(number), *works[number].scan, *works[number].file);
    }
    works[number] = {};
  };
  run_in_common_time(scans, walls, ended, stop);
  tables.clear();
}

void LedgerSet::scan(QuietBook& book, const HeapChoice& choice, Stops stops, Progress& progress,
                     const Stop& stop, const Closing& closing) {
  scan_all(book, choice, stops, progress, closing, stop);
}

void LedgerSet::scan(IndexingBook& book, const HeapChoice& choice, Stops stops, Progress& progress,
                     const Stop& stop, const Closing& closing) {
  scan_all(book, choice, stops, progress, closing, stop);
}

void LedgerSet::scan(OverviewBook& book, const HeapChoice& choice, Progress& progress,
                     const Closing& closing) {
  scan_all(book, choice, {}, progress, closing, nullptr);
}

void LedgerSet::scan_one(uint32_t ledger, QuietBook& book, Progress& progress) {
  std::unique_ptr<LedgerFile> file = open(ledger);
  progress.expect(file->work_bytes());
  sites_of(ledger).set_accounts(book);
  const HeapChoice malloc_only;
  Scan<QuietBook> scan(*file, ledger, parts_of(ledger), malloc_only, book, progress);
  while (!scan.finished()) scan.run(UINT64_MAX);
}

}  // namespace heapledger
