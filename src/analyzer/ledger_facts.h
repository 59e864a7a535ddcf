// What a ledger says about its process: who it was, how it was recorded, what it adds up to, and
// what is missing. Texts (names, paths, arguments) are as they stand in the ledger: whoever shows
// them escapes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/counts.h"
#include "analyzer/damage.h"
#include "analyzer/gaps.h"
#include "analyzer/unrecorded.h"
#include "format/entry.h"
#include "format/functions.h"
#include "format/layout.h"

namespace heapledger {

// Calls, by format::Function.
using FunctionCounts = std::array<uint64_t, format::kFunctions>;

// What a process, or all of them together, add up to.
struct Totals {
  uint64_t calls = 0;         // that returned a block, resizes included
  uint64_t frees = 0;         // of blocks seen allocated; resizes not included
  uint64_t resizes = 0;       // of an existing block
  uint64_t bytes = 0;         // sum of the requested sizes of all calls
  uint64_t peak_bytes = 0;    // most bytes live at any moment
  uint64_t peak_blocks = 0;   // blocks live at that moment
  uint64_t peak_time_ns = 0;  // that moment, since the start of the earliest ledger
  uint64_t end_bytes = 0;     // live at the end of the process
  uint64_t end_blocks = 0;
  uint64_t temporary_calls = 0;  // blocks freed as the very next heap operation of their thread

  uint64_t rss_peak_bytes = 0;
  uint64_t inherited_frees = 0;  // deaths of blocks that a forked process got from its parent
  uint64_t unmatched_frees = 0;  // deaths of blocks whose birth is not in the ledger
  uint64_t lost_frees = 0;       // addresses used again without a free in the ledger
  uint64_t missed = 0;           // entries that could not be made

  // Sums and counts; what was highest, and when, does not add up.
  void add(const Totals& other);
};

struct ThreadFacts {
  uint32_t index = 0;
  uint64_t tid = 0;
  std::string name;
};

struct ModuleFacts {
  uint32_t id = 0;
  uint64_t epoch = 0;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t bias = 0;
  std::string build_id;  // bytes
  std::string path;
  bool unloaded = false;
};

// A moment that the program, or somebody outside, gave a name.
struct MarkerFacts {
  std::string text;
  uint64_t time_ns = 0;  // since the start of its ledger
};

struct LedgerFacts {
  std::string path;
  uint64_t file_bytes = 0;
  bool sealed = false;
  uint32_t version = 0;
  uint32_t machine = 0;
  uint32_t page_bytes = 0;
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint64_t run_id = 0;
  format::Origin origin = format::Origin::kStarted;
  uint32_t mode = 0;      // it was begun with, as in the file header
  bool live = false;      // the heap of one moment: no block that was freed is in it
  bool has_times = true;  // blocks were allocated when it says; else nobody knows when

  std::vector<std::string> command;
  std::string executable;
  std::string host;
  std::optional<uint64_t> rank;  // among the processes of a parallel job
  std::string job;               // that it belongs to; empty: none
  std::string folder;
  std::string parent_ledger;
  std::string runtime;
  std::string allocator;  // path of the library whose malloc was called; empty: not known

  // Functions whose calls go to another file that has them, too (empty: the executable itself); and
  // whether none of those calls has come to the recorder in the end.
  std::vector<std::string> bypassed;
  std::string bypassed_by;
  bool unseen = false;

  uint64_t start_wall_ns = 0;  // since the epoch
  uint64_t duration_ns = 0;    // up to the last thing known
  double ns_per_tick = 0;
  uint32_t time_shift = 0;
  bool calibrated = false;     // the length of a tick was measured, not estimated
  bool exited = false;         // its exit handlers ran
  bool still_running = false;  // it went on while it was read; this is how it was at the beginning

  // Figures are estimates from samples. What it was begun with: their mean distance in bytes or in
  // calls, and whether they carry the time of their thread.
  bool sampled = false;
  uint64_t sample_bytes = 0;
  uint64_t sample_calls = 0;
  bool has_time = false;

  std::vector<ThreadFacts> threads;  // that made entries
  uint64_t thread_count = 0;         // of all that were seen, with those that only counted
  std::vector<ModuleFacts> modules;
  std::array<uint64_t, 64> entries_by_kind{};  // by format::Kind
  uint64_t entries = 0;
  uint64_t windows = 0;
  uint64_t chunks = 0;
  uint64_t holes = 0;

  Totals totals;
  FunctionCounts by_function{};
  Counts counts;                     // of count mode; in totals and by_function, too
  bool guarded = false;              // blocks were checked
  std::vector<DamageFacts> damages;  // in the order of time; only so many are kept
  uint64_t damage_count = 0;
  uint64_t inherited_blocks = 0;
  uint64_t inherited_bytes = 0;
  bool parent_found = false;  // forked, and what it inherited is known

  uint64_t stacks_checked = 0;    // cross-check mode: compared with another unwinder
  uint64_t stacks_differing = 0;  // and found different

  uint64_t gaps = 0;           // times in which the process, or a thread, was not recorded
  uint64_t gap_ns = 0;         // how long those of the process were
  std::vector<Gap> gap_times;  // and when, in ns since the start of its ledger; the first so many
  std::vector<MarkerFacts> markers;
  std::vector<std::string> heaps;  // beside malloc's, that something has happened in

  std::vector<UnrecordedGroup> unrecorded;  // what it started, or became, that has no ledger

  std::optional<std::string> stopped;  // why recording ended before the process did
  // Count mode: why memory and names were not looked at any more. All calls are counted.
  std::optional<std::string> unwatched;
  std::vector<std::string> problems;  // damage, gaps, cuts
  bool complete = true;               // nothing that happened is missing
};

// Every one is the heap of one moment, which is what "peak" and "end" stand for then.
bool all_live(std::span<const LedgerFacts> ledgers);

}  // namespace heapledger
