#include "cores/live_changes.h"

#include <algorithm>

#include "analyzer/sampling.h"
#include "format/modes.h"

namespace heapledger::cores {
namespace {

int64_t difference(uint64_t now, uint64_t before) {
  return static_cast<int64_t>(now - before);
}

// An account never gets smaller; one that seems to was read while it changed.
uint64_t increase(uint64_t now, uint64_t before) {
  return now > before ? now - before : 0;
}

Sampling sampling_of(const LiveHeap& heap) {
  format::FileHeader header{};
  header.mode = format::kModeLive;
  header.sample_bytes = heap.sample_bytes;
  header.sample_calls = heap.sample_calls;
  return Sampling(header);
}

}  // namespace

void Change::add(const Change& other) {
  Sums::add(other);
  growth += other.growth;
  growth_since_first += other.growth_since_first;
  if (history.size() < other.history.size()) {
    history.insert(history.begin(), other.history.size() - history.size(), 0);
  }
  size_t skip = history.size() - other.history.size();
  for (size_t i = 0; i < other.history.size(); ++i) history[skip + i] += other.history[i];
}

void LiveChanges::add(const LiveHeap& heap) {
  begin_reading(heap);
  count_extents(heap);
  total_ = {};
  for (uint32_t site = 0; site < books_.size(); ++site) {
    settle(heap, site);
    const Book& book = books_[site];
    if (book.ring != 0 || book.new_calls > 0) total_.add(change_of(book));
  }
}

void LiveChanges::begin_reading(const LiveHeap& heap) {
  ++readings_;
  if (readings_ == 1) first_ns_ = last_ns_ = heap.now_ns;
  interval_ns_ = increase(heap.now_ns, last_ns_);
  since_first_ns_ = increase(heap.now_ns, first_ns_);
  last_ns_ = heap.now_ns;
  has_accounts_ = heap.has_accounts;
  books_.resize(std::max(books_.size(), heap.sites.size()));
  for (Book& book : books_) {
    book.bytes_before = book.live_bytes;
    book.live_bytes = book.live_blocks = 0;
    book.new_calls = book.new_bytes = 0;
  }
}

void LiveChanges::count_extents(const LiveHeap& heap) {
  Sampling sampling = sampling_of(heap);
  estimated_ = !sampling.exact();
  for (const LiveBlock& block : heap.blocks) {
    Book& book = books_[block.site < books_.size() ? block.site : 0];
    // Without its time: what that is rounded to depends on when it is read, and a block must weigh
    // the same in every reading.
    Weight weight = sampling.of({block.address, block.size, 0, 0, 0});
    book.live_bytes += weight.bytes;
    book.live_blocks += weight.calls;
  }
}

void LiveChanges::settle(const LiveHeap& heap, uint32_t site) {
  Book& book = books_[site];
  if (readings_ == 1) book.bytes_first = book.bytes_before = book.live_bytes;
  if (has_accounts_ && site < heap.sites.size()) {
    const LiveSite& account = heap.sites[site];
    bool first = readings_ == 1;
    book.new_calls = first ? 0 : increase(account.calls, book.calls);
    book.new_bytes = first ? 0 : increase(account.bytes, book.bytes);
    book.calls = std::max(book.calls, account.calls);
    book.bytes = std::max(book.bytes, account.bytes);
  }
  if (book.ring == 0 && book.live_blocks > 0) {
    rings_.resize(rings_.size() + history_);
    book.ring = static_cast<uint32_t>(rings_.size() / history_);
  }
  if (book.ring != 0) {
    rings_[(book.ring - 1) * history_ + readings_ % history_] = book.live_bytes;
  }
}

Change LiveChanges::change_of(const Book& book) const {
  Change change;
  change.live_bytes = book.live_bytes;
  change.live_blocks = book.live_blocks;
  change.growth = difference(book.live_bytes, book.bytes_before);
  change.growth_since_first = difference(book.live_bytes, book.bytes_first);
  change.calls = book.new_calls;
  change.bytes = book.new_bytes;
  uint64_t known = std::min<uint64_t>(readings_, history_);
  for (uint64_t reading = readings_ - known + 1; reading <= readings_; ++reading) {
    uint64_t live = 0;
    if (book.ring != 0) live = rings_[(book.ring - 1) * history_ + reading % history_];
    change.history.push_back(live);
  }
  return change;
}

std::vector<SiteChange> LiveChanges::sites() const {
  std::vector<SiteChange> all;
  for (uint32_t site = 0; site < books_.size(); ++site) {
    const Book& book = books_[site];
    bool was = book.bytes_before > 0 || book.bytes_first > 0;
    if (book.live_blocks == 0 && !was && book.new_calls == 0) continue;
    all.push_back({site, change_of(book)});
  }
  return all;
}

double per_second(double amount, uint64_t interval_ns) {
  return interval_ns == 0 ? 0 : amount * 1e9 / static_cast<double>(interval_ns);
}

}  // namespace heapledger::cores
