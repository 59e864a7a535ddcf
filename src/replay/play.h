// One schedule played once, by the player, in a process of its own with the allocator preloaded.
// Whatever the allocator does (not load, crash, hang, run out of memory, break its promises) is an
// outcome, not an error of ours.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "player/results.h"
#include "replay/build.h"

namespace heapledger {

// What is played against.
struct Candidate {
  std::string name;     // for people: jemalloc, glibc, mine.so; with settings: "glibc arenas=1"
  std::string library;  // path to preload; "libc": none; "null": one that does nothing
  std::vector<std::pair<std::string, std::string>> environment;  // its settings
};

struct PlayOptions {
  player::Touch touch = player::Touch::kAll;
  bool latency = false;
  bool check = false;
  bool real_time = false;
  bool count_system_calls = false;
  double limit_seconds = 60;  // then it is taken to hang, and killed
  std::string recorder;       // path of libheapledger.so, to record the replay; empty: do not
  std::string record_to;      // the ledger it makes then
};

// Calls of the kernel by the allocator, not by the player.
struct SystemCalls {
  uint64_t all = 0;
  std::map<std::string, uint64_t> by_name;  // mmap, munmap, madvise, brk, futex, …
};

struct Played {
  enum class How { kDone, kNotLoaded, kCrashed, kHung, kNoMemory, kBroken, kFailed };
  How how = How::kFailed;
  std::string what;  // unless done: for people, "crashed (SIGSEGV) after about 12,345 calls"
  std::unique_ptr<results::Results> results;  // as far as it came
  std::optional<SystemCalls> system_calls;    // asked for, and countable
  std::string why_not_counted;                // asked for, and not countable

  bool done() const { return how == How::kDone; }
};

// Throws Error only when the player itself cannot be started.
Played play(const Schedule& schedule, const Candidate& candidate, const PlayOptions& options);

// Where the player is: beside the runtime that belongs to this tool. Throws Error when it is not.
std::string player_path();

}  // namespace heapledger
