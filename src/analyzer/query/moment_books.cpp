#include "analyzer/query/moment_books.h"

#include <algorithm>

namespace heapledger {

RssBook::RssBook(const LedgerSet& set, const Watch& watch, const std::vector<LedgerFacts>& ledgers,
                 bool glibc_model)
    : set_(set), watch_(watch), ledgers_(set.size()) {
  for (size_t i = 0; i < ledgers_.size(); ++i) {
    ledgers_[i].facts.glibc_model = glibc_model;
    if (i < ledgers.size() && ledgers[i].page_bytes >= 512) {
      ledgers_[i].facts.page_bytes = ledgers[i].page_bytes;
    }
  }
}

void RssBook::add_block(uint32_t ledger, const LiveBlock& block) {
  auto merged = merged_.find(block.account);
  const PlacedBlock placed = {block.address, block.size,
                              merged == merged_.end() ? block.account : merged->second};
  ResidentFacts& facts = ledgers_[ledger].facts;
  const bool is_mapping = (block.thread & kExactBlock) != 0;
  (is_mapping ? facts.mappings : facts.blocks).push_back(placed);
}

void RssBook::sampled(uint32_t ledger, const MemorySample& sample) {
  Ledger& own = ledgers_[ledger];
  if (own.waits) return;
  own.sample = sample;
  own.facts.has_rss = true;
  // The kernel's sum over the mappings is exact, what it counts along the way is not quite.
  bool is_look = own.facts.has_look && own.look_time == sample.time;
  own.facts.rss = is_look ? own.facts.looked_total : sample.rss;
  own.facts.has_file_rss = sample.has_file_rss;
  own.facts.file_rss = sample.file_rss;
  if (watch_.what == Watch::What::kSample && ++samples_ == watch_.number) reach_end();
}

void RssBook::looked(uint32_t ledger, const format::Entry& entry) {
  format::ResidentReader reader(entry.fields);
  if (!reader.good()) return;
  Ledger& own = ledgers_[ledger];
  own.look_time = entry.time;
  own.swapped = reader.swapped;
  own.facts.has_look = true;
  own.facts.left_since_look = 0;
  own.facts.looked_total = reader.total;
  own.facts.ranges.clear();
  format::ResidentRange range;
  while (reader.next(range)) own.facts.ranges.push_back(range);
  if (own.waits) share(ledger);
}

// What a process has at the moment. Where nobody had looked by then, the first look behind it is
// waited for.
void RssBook::take(uint32_t ledger) {
  Ledger& own = ledgers_[ledger];
  own.waits = own.facts.has_rss && !own.facts.has_look && watch_.what != Watch::What::kEnd;
  if (!own.waits) share(ledger);
}

void RssBook::share(uint32_t ledger) {
  Ledger& own = ledgers_[ledger];
  ResidentFacts& facts = own.facts;
  own.waits = false;
  found_.live_blocks += facts.blocks.size();
  found_.page_bytes = facts.page_bytes;
  all_have_file_rss_ = all_have_file_rss_ && facts.has_rss && facts.has_file_rss;
  all_have_looks_ = all_have_looks_ && facts.has_rss && facts.has_look;
  if (facts.has_rss) {
    found_.has_rss = true;
    found_.rss_bytes += facts.rss;
    found_.sample_most_bytes += std::max(facts.rss, own.sample.most);
    found_.file_rss_bytes += facts.file_rss;
    found_.sample_time_ns =
        std::max(found_.sample_time_ns, set_.since_start({own.sample.time, ledger}));
  }
  if (facts.has_look) {
    found_.look_time_ns = std::max(found_.look_time_ns, set_.since_start({own.look_time, ledger}));
    found_.swapped_bytes += own.swapped;
  }
  share_out(facts, sums_);
  facts.blocks = {};
  facts.mappings = {};
}

void RssBook::reach_end() {
  for (uint32_t i = 0; i < tables().size(); ++i) {
    if (tables()[i] == nullptr) continue;
    tables()[i]->for_each([&](const LiveBlock& block) { add_block(i, block); });
    take(i);
  }
}

void RssBook::ended(uint32_t ledger, uint64_t) {
  if (ledgers_[ledger].waits) share(ledger);
  if (watch_.what == Watch::What::kEnd) take(ledger);
}

void RssBook::tell(WhereRss& where) const {
  where = found_;
  where.time_ns = watch_.time_ns;
  where.live_bytes = sums_.live_bytes;
  where.rounding_bytes = sums_.rounding_bytes;
  where.touched_pages = sums_.touched_pages;
  where.touched_bytes = sums_.touched_bytes;
  uint64_t used = where.live_bytes + where.rounding_bytes;
  where.fragmentation_bytes = where.touched_bytes > used ? where.touched_bytes - used : 0;
  where.has_file_rss = found_.has_rss && all_have_file_rss_;
  if (!where.has_file_rss) where.file_rss_bytes = 0;
  where.has_look = found_.has_rss && all_have_looks_;
  if (!where.has_rss) return;
  where.unexplained_bytes = sums_.of(RssPart::kUnexplained);
  for (size_t i = 0; i < kRssParts; ++i) {
    auto part = static_cast<RssPart>(i);
    bool is_always_told = part == RssPart::kLive || part == RssPart::kUnexplained;
    if (sums_.of(part) == 0 && !is_always_told) continue;
    where.parts.push_back({part, sums_.of(part), 0, {}});
  }
}

SeriesBook::SeriesBook(const LedgerSet& set, std::vector<uint32_t> lines, size_t count)
    : set_(set), line_of_(std::move(lines)), lines_(count), running_(set.size()) {}

}  // namespace heapledger
