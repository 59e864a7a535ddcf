// From a ledger to a schedule (player/schedule.h): which lane does what to which slot. The schedule
// is written to a file without a name, in memory bounded by live blocks and lanes, so a ledger may
// be larger than memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/query.h"
#include "player/schedule.h"
#include "replay/file_descriptor.h"

namespace heapledger {

// What becomes of the blocks of a site, for "what if" schedules.
enum class Treatment : uint8_t {
  kAsRecorded,
  kNone,   // no calls: its blocks lie on the stack, or one buffer is used again and again
  kArena,  // its blocks lie one after the other in larger ones (kArenaBytes, as many as are live),
           // each freed when the last of its blocks is; a resize in it allocates anew and frees
};
inline constexpr uint64_t kArenaBytes = 65536;

struct BuildOptions {
  bool one_thread = false;  // all calls in one lane, in the order of the recording
  bool strict = false;      // what was freed before an allocation is freed before it again
  std::unordered_map<uint32_t, Treatment> treatments;  // by site
};

// What of the ledger is not in the schedule as it was.
struct BuildFacts {
  uint64_t operations = 0;       // of the ledger; each is one call in the schedule, but for these:
  uint64_t unknown_frees = 0;    // left out: of blocks whose birth is not in the ledger
  uint64_t unknown_resizes = 0;  // made allocations: likewise
  uint64_t lost_frees = 0;  // added: the ledger does not have them, their addresses were used again
  uint64_t treated = 0;     // left out, by treatments …
  uint64_t arenas = 0;      // … which allocated so many arenas instead
};

struct Schedule {
  FileDescriptor file;  // positions are not used, so that several can read it
  schedule::Header header{};
  std::vector<schedule::Phase> phases;
  BuildFacts facts;
  uint64_t file_bytes = 0;
  uint64_t allocated_bytes = 0;  // by all calls together, as requested
};

// Throws Error: when the ledger has no calls to play (with the command that would record them),
// when there are too many live blocks or threads, when the file cannot be written.
Schedule build_schedule(Ledgers& ledgers, uint32_t ledger, const BuildOptions& options);

// One for each of the options, in the same two or three passes for all of them.
std::vector<Schedule> build_schedules(Ledgers& ledgers, uint32_t ledger,
                                      std::span<const BuildOptions> options);

// Throws Error unless every call of the ledger is in it: not when it is counted, sampled, live or a
// log; names the command that records what is needed. Cut ledgers and gaps are all right.
void expect_playable(const LedgerFacts& facts);

}  // namespace heapledger
