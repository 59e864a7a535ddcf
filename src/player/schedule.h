// The schedule of a replay: a ledger's calls as words of eight bytes, written by src/replay, read
// by the player in a process of its own. A plain file: a header, a table of lanes, and chunks of
// words. A lane is what one thread of the player does, from its first word to kEnd, in order.
//
// Blocks are in slots. A slot belongs to one lane, the only one that puts blocks into it; a slot
// has a generation, which is how many blocks have been put into it before, modulo 2^16 (the first
// has generation 0). What another lane does with a block begins with kTake, which waits for that
// generation, and moves the block into a slot of its own lane. So a lane waits for the others at
// the end of a phase (kPhase), and else only for what must have happened before: the birth of a
// block that another lane takes (kTake), the taking of the block that was in a slot before (a birth
// into a slot that is not empty), the lanes that had ended before a thread began (kSpawn) and,
// where order is strict, frees that came before an allocation (kAwait). All of that refers to words
// that are earlier in the order of the whole recording, so no lane waits for ever.
//
// Only the C library's headers, and those that need nothing at run time: the player includes this.
#pragma once

#include <stdint.h>

namespace heapledger::schedule {

inline constexpr uint64_t kMagic = 0x314c5044534c48ULL;  // "HLSDPL1"
inline constexpr uint32_t kVersion = 1;

// A word: kind in bits 0 to 4, slot in bits 5 to 31, argument in bits 32 to 63.
inline constexpr unsigned kKindBits = 5;
inline constexpr unsigned kSlotBits = 27;
inline constexpr uint32_t kMaxSlots = 1u << kSlotBits;

enum class Word : uint8_t {
  kEnd = 0,  // of the lane

  // Calls that allocate, into `slot`; the argument is the size (its low half, see kHigh).
  kMalloc = 1,
  kCalloc = 2,  // of one item
  kReallocNew = 3,
  kReallocArrayNew = 4,
  kAligned = 5,  // after kAlign
  kValloc = 6,
  kPvalloc = 7,

  // The block in `slot` gets another size, and stays there: its generation grows by one.
  kRealloc = 8,
  kReallocArray = 9,

  // Calls that free the block in `slot`; the argument is the size it was asked for with (the low
  // half). realloc to zero bytes: if that gives a block, it is freed, too.
  kFree = 10,
  kFreeSized = 11,
  kFreeAlignedSized = 12,  // after kAlign
  kReallocFree = 13,
  kReallocArrayFree = 14,
  kFreeNull = 15,  // free(NULL); no slot

  // Before a call, all that apply, in any order:
  kHigh = 16,   // the argument is the high half of its size
  kAlign = 17,  // argument: log2 of the alignment, and Aligned << 8
  kFails = 18,  // it failed in the recording: it is made, what it gives is freed, no slot changes
  kTake = 19,   // takes the block of generation `argument` out of `slot` of another lane, into the
                // slot of the call that follows

  // No calls:
  kSpawn =
      20,  // begins the lane `slot`, once the first `argument` lanes of Header::ends have ended
  kPhase = 21,  // phase `argument` ends here: waits for all lanes that have it
  kPause = 22,  // not before this time (pause_ns()), when played in real time
  kAwait = 23,  // strict: until lane `slot` has freed `argument` blocks (modulo 2^32), by any call
  kNext = 24,   // the lane goes on in the chunk `argument`
};

enum class Aligned : uint8_t { kPosixMemalign = 0, kAlignedAlloc = 1, kMemalign = 2 };

inline constexpr uint64_t make_word(Word kind, uint32_t slot, uint32_t argument) {
  return static_cast<uint64_t>(kind) | static_cast<uint64_t>(slot) << kKindBits |
         static_cast<uint64_t>(argument) << 32;
}
inline constexpr Word kind_of(uint64_t word) {
  return static_cast<Word>(word & ((1u << kKindBits) - 1));
}
inline constexpr uint32_t slot_of(uint64_t word) {
  return static_cast<uint32_t>(word) >> kKindBits;
}
inline constexpr uint32_t argument_of(uint64_t word) {
  return static_cast<uint32_t>(word >> 32);
}

// Nanoseconds since the start of the recording, of a kPause.
inline constexpr uint64_t make_pause(uint64_t ns) {
  return make_word(Word::kPause, static_cast<uint32_t>(ns >> 32) & (kMaxSlots - 1),
                   static_cast<uint32_t>(ns));
}
inline constexpr uint64_t pause_ns(uint64_t word) {
  return static_cast<uint64_t>(slot_of(word)) << 32 | argument_of(word);
}

// A chunk is read whole; its last word in use is kEnd or kNext. Chunk 0 begins at
// Header::chunks_at.
inline constexpr uint32_t kChunkWords = 2048;
inline constexpr uint64_t kChunkBytes = kChunkWords * sizeof(uint64_t);

inline constexpr uint32_t kMaxPhases = 512;
inline constexpr uint32_t kMaxLanes = 1u << 20;

struct Lane {
  uint32_t first_chunk;
  uint32_t recorded_thread;  // its tid
  uint64_t calls;            // every kind below kHigh but kEnd, kFails included
  uint64_t frees;            // blocks that it frees, by any call but a resize
  uint64_t allocated_bytes;  // sums of requested sizes, of blocks born and of blocks that die here
  uint64_t freed_bytes;      //  (resizes are both); without calls that failed
  uint32_t first_slot;       // its slots are these
  uint32_t slots;
};

// Where the lanes stand at a moment of the recording.
struct Phase {
  uint64_t live_bytes;  // as requested, in the ledger; where sites are treated, in the schedule
  uint64_t live_blocks;
  uint64_t calls;    // so far, of all lanes
  uint64_t time_ns;  // since the start of the recording
  uint32_t lanes;    // that have a kPhase for it
  uint32_t is_peak;  // live bytes are at their highest here
};

struct Header {
  uint64_t magic;
  uint32_t version;
  uint32_t lanes;   // lane 0 begins by itself; all others by kSpawn
  uint32_t phases;  // the last one is the end
  uint32_t slots;   // of all lanes
  uint32_t chunks;
  uint32_t strict;  // there are kAwait
  uint64_t calls;
  uint64_t words;
  uint64_t largest;     // block
  uint64_t peak_bytes;  // live, in the recording
  uint64_t duration_ns;
  uint64_t lanes_at;   // offsets in the file: Lane[lanes] …
  uint64_t ends_at;    // … uint32_t[lanes]: lanes in the order in which they end …
  uint64_t phases_at;  // … Phase[phases] …
  uint64_t chunks_at;  // … and the chunks, at a multiple of kChunkBytes
};

}  // namespace heapledger::schedule
