#include "analyzer/seal/live_scan.h"

#include <algorithm>

#include "analyzer/process_scan.h"
#include "analyzer/query/overview.h"
#include "format/functions.h"

namespace heapledger::seal {

using format::Entry;
using format::Kind;

namespace {

std::vector<LiveBlock> sorted(const LiveBlocks& live) {
  std::vector<LiveBlock> blocks;
  blocks.reserve(live.size());
  live.for_each([&blocks](const LiveBlock& block) { blocks.push_back(block); });
  std::sort(blocks.begin(), blocks.end(),
            [](const LiveBlock& a, const LiveBlock& b) { return a.address < b.address; });
  return blocks;
}

}  // namespace

std::vector<WindowExtents> windows_from(const ExtentIndex& index, uint64_t time) {
  std::vector<WindowExtents> windows;
  for (WindowExtents extents : index.windows()) {
    size_t first = extents.size() - 1;
    while (first > 0 && extents[first].base_time > time) --first;
    while (first > 0 && extents[first - 1].seq == extents[first].seq) --first;
    windows.push_back(extents.subspan(first));
  }
  return windows;
}

LiveScan::LiveScan(LedgerFile& file) : merge_(file), pairing_(*this, slack_for(file)) {}

LiveScan::LiveScan(LedgerFile& file, const Checkpoint& from)
    : merge_(file, windows_from(file.index(), from.time)), pairing_(*this, slack_for(file)) {
  for (const LiveBlock& block : from.blocks) {
    if (pairing_.live().insert(block)) live_bytes_ += block.size;
  }
  for (const RecentDeath& death : from.recent) pairing_.remember(death);
  skipping_ = true;
  run(from.time);
  skipping_ = false;
  entries_ = from.entries;
}

void LiveScan::weigh_with(const Sampling& sampling) {
  sampling_ = sampling.exact() ? nullptr : &sampling;
  live_bytes_ = 0;
  live().for_each([this](const LiveBlock& block) { live_bytes_ += bytes_of(block); });
}

Checkpoint LiveScan::checkpoint(uint64_t time) const {
  return {time, entries_, sorted(live()), pairing_.recent()};
}

void LiveScan::extent_opened(Stream& stream) {
  ++blocks_opened_;
  stream.thread = stream.extent_thread();
}

void LiveScan::entry(Stream& stream, const Entry& entry) {
  ++entries_;
  switch (format::event_of(entry.kind)) {
    case format::Event::kBirth:
      resized(stream, entry);
      break;
    case format::Event::kDeath:
      if (entry.pointer == 0 || skipping_) break;
      pairing_.death(entry.pointer, {entry.time, stream.thread, false, false});
      break;
    case format::Event::kResize:
      if (entry.old_pointer == 0 || skipping_) break;
      pairing_.death(entry.old_pointer, {entry.time, stream.thread, false, true});
      break;
    case format::Event::kNote: {
      format::FieldReader fields(entry.fields);
      uint64_t index;
      if (entry.kind == Kind::kThread && fields.number(index)) {
        stream.thread = static_cast<uint32_t>(index);
      }
      if (hold_.at != Hold::At::kNothing && !skipping_) meet(entry);
    }
  }
}

void LiveScan::meet(const Entry& entry) {
  if (entry.time != hold_.time) return;
  bool marker = hold_.at == Hold::At::kMarker && entry.kind == Kind::kMarker &&
                entry.fields.substr(0, kMaxMarkerText) == hold_.text;
  bool sample = hold_.at == Hold::At::kSample && entry.kind == Kind::kMemory;
  if (marker || sample) held_ = skipping_ = true;
}

void LiveScan::resized(Stream& stream, const Entry& entry) {
  if (entry.pointer == 0 || skipping_) return;
  pairing_.birth({entry.pointer, entry.size, entry.end_time, entry.site, stream.thread});
}

std::vector<LiveBlock> live_at(LedgerFile& file, uint64_t time) {
  std::optional<Checkpoint> from = file.checkpoint_before(time);
  if (from) {
    LiveScan scan(file, *from);
    scan.run(time);
    return sorted(scan.live());
  }
  LiveScan scan(file);
  scan.run(time);
  return sorted(scan.live());
}

}  // namespace heapledger::seal
