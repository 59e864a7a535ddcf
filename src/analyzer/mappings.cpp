#include "analyzer/mappings.h"

#include <algorithm>

namespace heapledger {
namespace {

using format::Kind;

bool read(format::FieldReader& fields, std::initializer_list<uint64_t*> numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&fields](uint64_t* number) { return fields.number(*number); });
}

}  // namespace

void MappingFacts::add(const MappingFacts& other) {
  recorded = recorded || other.recorded;
  map_calls += other.map_calls;
  unmap_calls += other.unmap_calls;
  remap_calls += other.remap_calls;
  break_calls += other.break_calls;
  mapped_bytes += other.mapped_bytes;
  unmapped_bytes += other.unmapped_bytes;
  end_bytes += other.end_bytes;
  if (other.peak_bytes > peak_bytes) {
    peak_bytes = other.peak_bytes;
    peak_time_ns = other.peak_time_ns;
  }
  std::unordered_map<uint32_t, size_t> places;
  for (size_t i = 0; i < sites.size(); ++i) places.emplace(sites[i].site, i);
  for (const MappedSite& site : other.sites) {
    auto [place, is_new] = places.emplace(site.site, sites.size());
    if (is_new) {
      sites.push_back(site);
      continue;
    }
    MappedSite& same = sites[place->second];
    same.calls += site.calls;
    same.bytes += site.bytes;
    same.end_bytes += site.end_bytes;
    same.peak_bytes = std::max(same.peak_bytes, site.peak_bytes);
  }
  sort(sites);
}

void MappingFacts::sort(std::vector<MappedSite>& sites) {
  std::sort(sites.begin(), sites.end(), [](const MappedSite& a, const MappedSite& b) {
    return a.peak_bytes != b.peak_bytes ? a.peak_bytes > b.peak_bytes : a.site < b.site;
  });
}

void Mappings::note(const format::Entry& entry) {
  format::FieldReader fields(entry.fields);
  uint64_t old, old_bytes, at, bytes, site;
  switch (entry.kind) {
    case Kind::kMap:
      if (!read(fields, {&at, &bytes, &site})) return;
      ++facts_.map_calls;
      map(at, bytes, static_cast<uint32_t>(site), entry.time);
      break;
    case Kind::kUnmap:
      if (!read(fields, {&at, &bytes})) return;
      ++facts_.unmap_calls;
      unmap(at, bytes);
      break;
    case Kind::kRemap:
      if (!read(fields, {&old, &old_bytes, &at, &bytes, &site})) return;
      ++facts_.remap_calls;
      unmap(old, old_bytes);
      map(at, bytes, static_cast<uint32_t>(site), entry.time);
      break;
    case Kind::kBreak:
      if (!read(fields, {&old, &at, &site})) return;
      ++facts_.break_calls;
      if (at > old) {
        map(old, at - old, static_cast<uint32_t>(site), entry.time);
      } else {
        unmap(at, old - at);
      }
      break;
    default:
      return;
  }
  facts_.recorded = true;
}

void Mappings::map(uint64_t start, uint64_t bytes, uint32_t site, uint64_t time) {
  if (bytes == 0 || start + bytes < start) return;
  unmap(start, bytes);  // what is mapped over is gone
  if (ranges_.size() >= kMaxRanges) return;
  ranges_.insert_or_assign(start, Range{start + bytes, site});
  MappedSite& tally = sites_[site];
  ++tally.calls;
  tally.bytes += bytes;
  tally.end_bytes += bytes;
  tally.peak_bytes = std::max(tally.peak_bytes, tally.end_bytes);
  facts_.mapped_bytes += bytes;
  facts_.end_bytes += bytes;
  if (facts_.end_bytes > facts_.peak_bytes) {
    facts_.peak_bytes = facts_.end_bytes;
    peak_time_ = time;
  }
}

void Mappings::unmap(uint64_t start, uint64_t bytes) {
  if (bytes == 0 || start + bytes < start) return;
  split(start);
  split(start + bytes);
  auto first = ranges_.lower_bound(start);
  auto last = ranges_.lower_bound(start + bytes);
  for (auto range = first; range != last; ++range) {
    uint64_t gone = range->second.end - range->first;
    sites_[range->second.site].end_bytes -= gone;
    facts_.end_bytes -= gone;
    facts_.unmapped_bytes += gone;
  }
  ranges_.erase(first, last);
}

// A range that has `at` inside becomes two.
void Mappings::split(uint64_t at) {
  auto after = ranges_.upper_bound(at);
  if (after == ranges_.begin()) return;
  auto range = std::prev(after);
  if (range->first == at || range->second.end <= at) return;
  ranges_.emplace_hint(after, at, range->second);
  range->second.end = at;
}

}  // namespace heapledger
