// Ledgers: where the resident memory goes.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/moment_books.h"

namespace heapledger {

// Of all lines of code that have some of it, the one that has the most.
void Ledgers::Parts::find_owner(const std::vector<uint64_t>& by_account, RssLine& line) {
  std::unordered_map<std::string, std::pair<uint64_t, uint32_t>> owners;
  for (uint32_t account = 0; account < by_account.size(); ++account) {
    if (by_account[account] == 0 || account >= sites.size()) continue;
    uint32_t frame = names().blamed(sites[account]);
    if (frame == StackNames::kNoFrame) continue;
    const FrameInfo& info = names().frame(frame);
    std::string key = std::to_string(info.name) + ' ' + std::to_string(info.file) + ' ' +
                      std::to_string(info.line);
    auto& [bytes, first] = owners.try_emplace(std::move(key), 0, frame).first->second;
    bytes += by_account[account];
    if (bytes <= line.owner_bytes) continue;
    line.owner_bytes = bytes;
    line.owner = names().named(first);
  }
}

WhereRss Ledgers::where_rss(const MomentSpec& moment) {
  Turn turn(*this);
  parts_->look({});
  const std::vector<LedgerFacts>& ledgers = parts_->ledgers();
  for (const LedgerFacts& facts : ledgers) {
    if (!facts.sampled) continue;
    throw Error("which pages are in use cannot be told from samples; record " + facts.path +
                    " in another mode than sample to see where the resident memory goes",
                ErrorKind::kQuestion);
  }
  MomentSpec at = moment;
  const Overview& overview = parts_->view().overview;
  if (at.kind == MomentSpec::Kind::kRssPeak &&
      (overview.is_live() || overview.rss_peak_bytes == 0)) {
    at.kind = MomentSpec::Kind::kPeak;
  }
  Watch watch = parts_->resolve(at);
  const std::string other = other_malloc(ledgers);
  RssBook book(parts_->set, watch, ledgers, other.empty());
  HeapChoice heaps;
  heaps.has_others = true;
  heaps.others.assign(format::kMappingHeap + 1, 0);
  heaps.others[format::kMappingHeap] = 1;
  parts_->scan(book, heaps, nullptr, watch);
  WhereRss where;
  book.tell(where);
  where.at = at;
  where.has_inherited = std::any_of(ledgers.begin(), ledgers.end(), [](const LedgerFacts& facts) {
    return facts.origin == format::Origin::kForked;
  });
  where.other_malloc = other;
  where.glibc_model = other.empty();
  for (RssLine& line : where.parts) parts_->find_owner(book.owners(line.part), line);
  const std::vector<uint64_t>& pinned = book.owners(RssPart::kPinned);
  for (uint32_t account = 0; account < pinned.size() && where.has_look; ++account) {
    if (pinned[account] == 0 || account >= parts_->sites.size()) continue;
    where.pinned_by_site.push_back({parts_->sites[account], pinned[account]});
  }
  return where;
}

}  // namespace heapledger
