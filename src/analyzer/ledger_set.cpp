#include "analyzer/ledger_set.h"

#include <algorithm>

#include "analyzer/error.h"
#include "analyzer/process_scan.h"

namespace heapledger {

LedgerSet::LedgerSet(std::vector<Opener> openers, Options options) : options_(std::move(options)) {
  for (Opener& open : openers) {
    try {
      Ledger ledger;
      ledger.file = std::make_unique<LedgerFile>(open(), options_.check_sums);
      ledger.open = std::move(open);
      ledger.sites = std::make_unique<LedgerSites>(*catalog_);
      ledger.heaps = std::make_unique<LedgerHeaps>(*heaps_);
      ledger.clock = ledger.file->clock();
      ledger.sampling = Sampling(ledger.file->header());
      const uint32_t shift = std::min(ledger.file->header().time_shift, 63u);
      ledger.ns_per_unit = ledger.clock.ns_per_tick() * static_cast<double>(uint64_t{1} << shift);
      start_wall_ns_ = std::min(start_wall_ns_, ledger.clock.start_wall_ns());
      ledgers_.push_back(std::move(ledger));
    } catch (const Error& error) {
      refusals_.push_back(error);
    }
  }
  if (!ledgers_.empty()) return;
  if (refusals_.empty()) throw Error("no ledger was given", ErrorKind::kQuestion);
  throw all_of(refusals_);
}

std::optional<uint64_t> LedgerSet::known_end_ns() const {
  uint64_t end = 0;
  for (uint32_t i = 0; i < ledgers_.size(); ++i) {
    const LedgerFile* file = ledgers_[i].file.get();
    if (file == nullptr) return std::nullopt;
    if (!file->sealed() && file->header().exit_ticks == 0) return std::nullopt;
    end = std::max(end, since_start({end_time_of(*file, file->last_time()), i}));
  }
  return end;
}

uint64_t LedgerSet::work_bytes() const {
  uint64_t bytes = 0;
  for (const Ledger& ledger : ledgers_) bytes += ledger.file ? ledger.file->work_bytes() : 0;
  return bytes;
}

std::unique_ptr<LedgerFile> LedgerSet::take_or_open(Ledger& ledger) {
  if (ledger.file != nullptr) return std::move(ledger.file);
  return std::make_unique<LedgerFile>(ledger.open(), options_.check_sums);
}

}  // namespace heapledger
