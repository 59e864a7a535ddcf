// A lane while it is played: its words, its clock, and what it counts. Only its own thread uses it.
#pragma once

#include <stdint.h>

#include "player/world.h"

namespace heapledger::player {

// Which prefixes came before the word that is looked at: they are checked across chunks.
struct Pending {
  bool any;
  bool align;
  bool take;
  uint8_t aligned;  // schedule::Aligned
};

struct LaneRun {
  uint32_t number;
  uint32_t chunks;  // read so far
  alignas(64) uint64_t words[schedule::kChunkWords];
  Pending pending;

  uint64_t calls;        // in chunks that are done
  uint64_t chunk_calls;  // in the one that is being played
  uint64_t given_back;
  uint64_t emulated;
  uint32_t freed;  // blocks, where order is strict

  // Flag::kCheck.
  int64_t live_bytes;
  int64_t live_at_phase;  // the last one
  uint32_t next_phase;

  // lane_clock.h
  int queue_fd;  // less than zero: CPU time instead
  uint64_t first_ticks;
  uint64_t first_ns;
  uint64_t last_ns;  // what the kernel said last
  uint64_t spun_ticks;
  uint64_t uncharged_ticks;
  uint64_t uncharged_ns;
  uint64_t waited_ticks;
  uint64_t waits;

  uint64_t latency_worst;
  uint64_t latency[results::kLatencyBuckets];
};

// Calls up to the word at `cursor`, for texts.
uint64_t calls_before(const LaneRun& run, const uint64_t* cursor);

// Reads a chunk and checks all its words; the first one.
const uint64_t* read_chunk(LaneRun& run, uint32_t chunk);
// Takes the next chunk, after all words of this one.
const uint64_t* next_chunk(LaneRun& run, uint32_t chunk);

// Adds the calls of the chunk that is done to the results.
void settle_chunk(LaneRun& run);

}  // namespace heapledger::player
