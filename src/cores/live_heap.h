// The live heap of a process at one moment: its blocks, and what is known of where they come from.
// Every way to read a heap makes one of these; everything after that reads nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cores/memory.h"
#include "format/resident.h"

namespace heapledger::cores {

struct LiveBlock {
  uint64_t address = 0;
  uint64_t size = 0;    // as asked for; of chunks of an allocator, what they have room for
  uint64_t time = 0;    // ns since the start
  uint32_t site = 0;    // index into sites; 0: unknown
  uint32_t thread = 0;  // index into threads; 0: unknown
};

// A frame of a call stack, and through its parents the whole of it, as in ledgers.
struct LiveSite {
  uint64_t pc = 0;  // the return address, or a mark (format/entry.h)
  uint32_t parent = 0;
  uint32_t module = 0;  // index into modules; 0: none
  // Of the calls with exactly this stack, since the start, those of live blocks included:
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t peak = 0;  // most bytes ever live at once
};

struct LiveThread {
  uint32_t tid = 0;
  std::string name;
  bool inherited = false;  // of the process that this one was forked from
};

// Memory of our own runtime in the process.
struct OwnRange {
  uint64_t start = 0;
  uint64_t end = 0;
};

// What is resident of the process, by mapping.
struct ResidentMemory {
  uint64_t total = 0;  // 0: nobody has looked
  uint64_t swapped = 0;
  std::vector<format::ResidentRange> ranges;
};

struct LiveHeap {
  std::string source;  // for people: what this was read from, in what way
  bool has_stacks = true;
  bool has_accounts = false;  // calls, bytes and peak of sites mean something
  bool has_times = true;
  Shape shape;
  uint32_t page_bytes = 4096;
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  std::string executable;
  std::vector<std::string> command;
  std::string host;
  std::string rank;  // empty: none
  std::string job;   // likewise
  std::string folder;
  std::string runtime;    // version of our library in there; empty: none
  std::string allocator;  // path of the library whose malloc was called

  uint64_t started_ns = 0;  // on the clock on the wall; 0: unknown
  uint64_t now_ns = 0;      // since the start: the moment of this heap
  uint64_t rss_bytes = 0;   // 0: unknown
  ResidentMemory resident;
  uint64_t missed = 0;  // calls that could not be entered
  // Why blocks are missing; 0: none are.
  uint32_t stop_reason = 0;  // format::StopReason
  uint32_t stop_errno = 0;

  // Mean distances between samples; both 0: every block is here.
  uint64_t sample_bytes = 0;
  uint64_t sample_calls = 0;

  std::vector<LiveBlock> blocks;
  // Element 0 of each of these stands for "none".
  std::vector<LiveSite> sites{1};
  std::vector<Module> modules{1};
  std::vector<LiveThread> threads{1};

  std::vector<OwnRange> own_ranges;  // memory of our own, no roots

  std::vector<std::string> problems;  // for people: what could not be read
  bool is_cut = false;                // the file ends before what it says it has
};

// Whether our runtime was loaded in the process, in whatever mode.
bool has_our_library(const LiveHeap& heap);

}  // namespace heapledger::cores
