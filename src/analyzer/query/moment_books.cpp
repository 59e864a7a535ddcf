#include "analyzer/query/moment_books.h"

#include <algorithm>

namespace heapledger {
namespace {

// What glibc's malloc takes for a request: a multiple of 16 with 8 bytes for itself, 32 at least;
// large blocks have pages of their own, which one sees by where they begin.
uint64_t chunk_bytes(const LiveBlock& block, uint64_t page) {
  constexpr uint64_t kSmallestMapped = 128 * 1024;
  if (block.size >= kSmallestMapped && block.address % page == 16) {
    return (block.size + 16 + page - 1) / page * page;
  }
  return std::max<uint64_t>(32, (block.size + 8 + 15) / 16 * 16);
}

}  // namespace

RssBook::RssBook(const LedgerSet& set, const Watch& watch, std::vector<uint32_t> page_bytes)
    : set_(set), watch_(watch), ledgers_(set.size()) {
  for (size_t i = 0; i < page_bytes.size() && i < ledgers_.size(); ++i) {
    if (page_bytes[i] >= 512) ledgers_[i].page_bytes = page_bytes[i];
  }
}

void RssBook::add_block(uint32_t ledger, const LiveBlock& block) {
  Ledger& own = ledgers_[ledger];
  ++sums_.live_blocks;
  sums_.live_bytes += block.size;
  sums_.rounding_bytes += chunk_bytes(block, own.page_bytes) - block.size;
  uint64_t last = block.address + std::max<uint64_t>(block.size, 1) - 1;
  if (last < block.address) last = UINT64_MAX;
  own.pages.emplace_back(block.address / own.page_bytes, last / own.page_bytes);
}

// The pages of all blocks of a process, each once.
void RssBook::take_pages(Ledger& ledger) {
  std::sort(ledger.pages.begin(), ledger.pages.end());
  uint64_t next = 0;
  uint64_t count = 0;
  for (auto [first, last] : ledger.pages) {
    first = std::max(first, next);
    if (last < first) continue;
    count += last - first + 1;
    next = last + 1;
  }
  sums_.touched_pages += count;
  sums_.touched_bytes += count * ledger.page_bytes;
  sums_.page_bytes = ledger.page_bytes;
  ledger.pages = {};
}

void RssBook::take_sample(uint32_t ledger) {
  const Ledger& own = ledgers_[ledger];
  if (!own.has_sample) {
    all_have_file_rss_ = false;
    return;
  }
  sums_.has_rss = true;
  sums_.rss_bytes += own.sample.rss;
  sums_.file_rss_bytes += own.sample.file_rss;
  all_have_file_rss_ = all_have_file_rss_ && own.sample.has_file_rss;
  sums_.sample_time_ns =
      std::max(sums_.sample_time_ns, set_.since_start({own.sample.time, ledger}));
}

void RssBook::sampled(uint32_t ledger, const MemorySample& sample) {
  ledgers_[ledger].has_sample = true;
  ledgers_[ledger].sample = sample;
  if (watch_.what == Watch::What::kSample && ++samples_ == watch_.number) reach_end();
}

void RssBook::reach_end() {
  for (uint32_t i = 0; i < tables().size(); ++i) {
    if (tables()[i] == nullptr) continue;
    tables()[i]->for_each([&](const LiveBlock& block) { add_block(i, block); });
    take_pages(ledgers_[i]);
    take_sample(i);
  }
}

void RssBook::ended(uint32_t ledger, uint64_t) {
  if (watch_.what != Watch::What::kEnd) return;
  take_pages(ledgers_[ledger]);
  take_sample(ledger);
}

void RssBook::tell(WhereRss& where) const {
  where = sums_;
  where.time_ns = watch_.time_ns;
  where.has_file_rss = sums_.has_rss && all_have_file_rss_;
  if (!where.has_file_rss) where.file_rss_bytes = 0;
}

SeriesBook::SeriesBook(const LedgerSet& set, std::vector<uint32_t> lines, size_t count)
    : set_(set), line_of_(std::move(lines)), lines_(count), running_(set.size()) {}

}  // namespace heapledger
