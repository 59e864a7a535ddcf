#include "analyzer/fork_scan.h"

#include <algorithm>

#include "analyzer/process_scan.h"
#include "format/functions.h"

namespace heapledger {

using format::Entry;
using format::Kind;

ForkPoint find_fork(LedgerFile& parent, const format::FileHeader& child) {
  ForkPoint fork;
  fork.window = child.parent_window;
  fork.position = {child.parent_seq, child.parent_offset};
  // Without a trace of the forking thread, the child's first moment is close enough.
  fork.time = parent.clock().units_of_ticks(child.start.ticks);
  for (WindowExtents blocks : parent.index().windows()) {
    if (blocks.front().window != fork.window) continue;
    const uint64_t seq = fork.position.seq;
    auto first = std::partition_point(blocks.begin(), blocks.end(),
                                      [seq](const ExtentRef& ref) { return ref.seq < seq; });
    auto last = std::partition_point(first, blocks.end(),
                                     [seq](const ExtentRef& ref) { return ref.seq == seq; });
    Payload payload;
    if (first == last || !parent.load_quietly({first, last}, payload)) break;
    const unsigned char* from = payload.bytes.data();
    format::EntryDecoder decoder(from, from + payload.bytes.size(), payload.base_time);
    fork.time = payload.base_time;
    auto before_fork = [&] { return decoder.position() - from < int64_t{fork.position.offset}; };
    for (Entry entry; before_fork() && decoder.next(entry);) fork.time = entry.end_time;
  }
  return fork;
}

ForkScan::ForkScan(LedgerFile& file, const std::vector<LiveBlock>& inherited,
                   const std::vector<ForkPoint>& forks, Progress& progress)
    : sampling_(file.header()),
      merge_(file),
      pairing_(*this, slack_for(file)),
      progress_(progress) {
  for (const LiveBlock& block : inherited) {
    if (LiveBlock* placed = pairing_.live().place(block)) born(*placed);
  }
  for (const ForkPoint& fork : forks) merge_.hold(fork.window, fork.position);
}

void ForkScan::run_to(const ForkPoint& fork) {
  merge_.run(fork.time, *this);
}

void ForkScan::leave(const ForkPoint& fork) {
  merge_.release(fork.window, *this);
}

void ForkScan::extent_opened(Stream& stream) {
  progress_.add(format::kExtentBytes);
  stream.thread = stream.extent_thread();
}

void ForkScan::entry(Stream& stream, const Entry& entry) {
  switch (format::event_of(entry.kind)) {
    case format::Event::kBirth:
      resized(stream, entry);
      break;
    case format::Event::kDeath:
      if (entry.pointer == 0) break;
      pairing_.death(entry.pointer, {entry.time, stream.thread, false, false});
      break;
    case format::Event::kResize:
      if (entry.old_pointer == 0) break;
      pairing_.death(entry.old_pointer, {entry.time, stream.thread, false, true});
      break;
    case format::Event::kNote: {
      format::FieldReader fields(entry.fields);
      uint64_t index;
      if (entry.kind == Kind::kThread && fields.number(index)) {
        stream.thread = static_cast<uint32_t>(index);
      }
      if (entry.kind == Kind::kMode) sampling_.change(entry.time, entry.fields);
    }
  }
}

void ForkScan::resized(Stream& stream, const Entry& entry) {
  if (entry.pointer == 0) return;
  pairing_.birth({entry.pointer, entry.size, entry.end_time, 0, stream.thread});
}

}  // namespace heapledger
