// The live heap of a program with Heapledger's header mode (embed/), found by the headers that it
// puts before its blocks; in a core dump, in a process, or in a plain dump of memory of any word
// size and byte order, even one of which nobody knows where in memory it was.
//
// Of headers that are all whole but lie over one another, the younger one counts: its birth shows
// that the elder one was dead, and only its header was left behind. So a header in the middle of
// a block is a block only if it was born later, and then the block around it is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cores {

struct FoundHeaders {
  Shape shape;  // of the program, whatever memory.shape() says; its machine is 0 if nothing tells
  // Where the headers say that the first byte of the dump was, and what has to be added to the
  // addresses of `memory` to make that true: 0 if it was opened with the right base.
  uint64_t base = 0;
  uint64_t displacement = 0;
  uint64_t headers = 0;  // that agree in this
  uint64_t others = 0;   // whole ones that do not: copies

  // The address of a function of the program, to compare with its ELF file: what is added to the
  // addresses there is the difference. 0: unknown.
  uint64_t anchor_address = 0;
  std::string anchor_symbol = "hl_init";
  std::string tag;  // what the program calls this build
};

// Nothing when there is no header and no image. One pass over the memory; to learn how a plain dump
// has to be opened:
//   auto found = find_block_headers(*open_raw(path, 0, Shape{}));
//   auto memory = open_raw(path, found->base, found->shape);
std::optional<FoundHeaders> find_block_headers(const Memory& memory);

// Nothing when there is no header and no image. Its modules are the memory's, or none: see
// set_program below.
std::optional<LiveHeap> read_block_headers(const Memory& memory, FoundHeaders* found = nullptr);

// Says that all code is in this file: for plain dumps, which name no modules. Where the file has no
// such symbol, or the anchor is unknown, the program is taken to be where its file says. Returns
// what is odd, for people; empty: nothing. Never throws because of what the file holds.
std::string set_program(LiveHeap& heap, const std::string& executable, const FoundHeaders& found);

// Gives sites without a module the one that their address is in.
void place_sites(LiveHeap& heap);

}  // namespace heapledger::cores
