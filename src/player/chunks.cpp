// Reads the chunks of a lane, and checks every word of them before the first is played, so that
// playing needs no checks. Neither is charged to the allocator.
#include "player/functions.h"
#include "player/kernel.h"
#include "player/lane_clock.h"
#include "player/lane_run.h"
#include "player/outcome.h"

namespace heapledger::player {
namespace {

using results::Outcome;
using schedule::Word;

constexpr bool is_call(Word kind) {
  return kind >= Word::kMalloc && kind <= Word::kFreeNull;
}
constexpr bool is_prefix(Word kind) {
  return kind >= Word::kHigh && kind <= Word::kTake;
}
constexpr bool may_take(Word kind) {
  return kind >= Word::kRealloc && kind <= Word::kReallocArrayFree;
}
constexpr bool needs_alignment(Word kind) {
  return kind == Word::kAligned || kind == Word::kFreeAlignedSized;
}

bool is_own_slot(const LaneRun& run, uint32_t slot) {
  const auto& lane = world.lanes[run.number];
  return slot >= lane.first_slot && slot - lane.first_slot < lane.slots;
}

bool is_emulated(Word kind, const Pending& pending) {
  switch (kind) {
    case Word::kReallocArrayNew:
    case Word::kReallocArray:
    case Word::kReallocArrayFree:
      return emulated.reallocarray;
    case Word::kAligned:
      return emulated.aligned[pending.aligned];
    case Word::kValloc:
      return emulated.valloc;
    case Word::kPvalloc:
      return emulated.pvalloc;
    case Word::kFreeSized:
      return emulated.free_sized;
    case Word::kFreeAlignedSized:
      return emulated.free_aligned_sized;
    default:
      return false;
  }
}

constexpr bool is_plain(uint64_t word) {
  return schedule::kind_of(word) == Word::kMalloc || schedule::kind_of(word) == Word::kFree;
}

bool check_call(LaneRun& run, uint64_t word) {
  const Word kind = schedule::kind_of(word);
  const Pending pending = run.pending;
  run.pending = {};
  if (kind != Word::kFreeNull && !is_own_slot(run, schedule::slot_of(word))) return false;
  if (pending.take && !may_take(kind)) return false;
  if (needs_alignment(kind) && !pending.align) return false;
  ++run.chunk_calls;
  if (is_emulated(kind, pending)) ++run.emulated;
  return true;
}

bool check_prefix(LaneRun& run, uint64_t word) {
  const uint32_t argument = schedule::argument_of(word);
  run.pending.any = true;
  if (schedule::kind_of(word) == Word::kAlign) {
    run.pending.align = true;
    run.pending.aligned = static_cast<uint8_t>(argument >> 8);
    return (argument & 0xff) < 64 && argument >> 8 <= 2;
  }
  if (schedule::kind_of(word) == Word::kTake) {
    run.pending.take = true;
    return schedule::slot_of(word) < world.header.slots && argument <= 0xffff;
  }
  return true;
}

bool check_word(LaneRun& run, uint64_t word) {
  const Word kind = schedule::kind_of(word);
  if (is_call(kind)) return check_call(run, word);
  if (is_prefix(kind)) return check_prefix(run, word);
  const uint32_t slot = schedule::slot_of(word);
  const uint32_t argument = schedule::argument_of(word);
  if (kind == Word::kNext) return argument < world.header.chunks;
  if (run.pending.any) return false;
  switch (kind) {
    case Word::kEnd:
    case Word::kPause:
      return true;
    case Word::kSpawn:
      return slot > 0 && slot < world.header.lanes && argument <= world.header.lanes;
    case Word::kPhase:
      return argument < world.header.phases && argument >= run.next_phase;
    case Word::kAwait:
      return slot < world.header.lanes;
    default:
      return false;
  }
}

void check_chunk(LaneRun& run, uint32_t chunk) {
  run.chunk_calls = 0;
  const auto& lane = world.lanes[run.number];
  for (uint32_t at = 0; at < schedule::kChunkWords; ++at) {
    const uint64_t word = run.words[at];
    if (is_plain(word) && !run.pending.any &&
        schedule::slot_of(word) - lane.first_slot < lane.slots) {
      ++run.chunk_calls;  // nearly all words
      continue;
    }
    if (!check_word(run, word)) {
      end_run(Outcome::kBadSchedule, "word %u of chunk %u of the schedule is damaged", at, chunk);
    }
    const Word kind = schedule::kind_of(word);
    if (kind == Word::kEnd || kind == Word::kNext) return;
  }
  end_run(Outcome::kBadSchedule, "chunk %u of the schedule has no end", chunk);
}

}  // namespace

const uint64_t* read_chunk(LaneRun& run, uint32_t chunk) {
  if (++run.chunks > world.header.chunks) {
    end_run(Outcome::kBadSchedule, "lane %u of the schedule has no end", run.number);
  }
  const long got = kernel::pread(world.schedule_fd, run.words, schedule::kChunkBytes,
                                 world.header.chunks_at + chunk * schedule::kChunkBytes);
  if (got != static_cast<long>(schedule::kChunkBytes)) {
    end_run(Outcome::kBadSchedule, "chunk %u of the schedule cannot be read", chunk);
  }
  check_chunk(run, chunk);
  return run.words;
}

void settle_chunk(LaneRun& run) {
  run.calls += run.chunk_calls;
  add(world.results->calls, run.chunk_calls);
  run.chunk_calls = 0;
}

const uint64_t* next_chunk(LaneRun& run, uint32_t chunk) {
  const Uncharged uncharged(run);
  settle_chunk(run);
  return read_chunk(run, chunk);
}

uint64_t calls_before(const LaneRun& run, const uint64_t* cursor) {
  uint64_t calls = run.calls;
  for (const uint64_t* word = run.words; word < cursor; ++word) {
    if (is_call(schedule::kind_of(*word))) ++calls;
  }
  return calls;
}

}  // namespace heapledger::player
