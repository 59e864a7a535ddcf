// Which blocks a question is about. The syntax is one for all front ends; conditions are joined
// by commas and all have to hold; one on a name can be given several times:
//
//   size>=1k,size<1M          requested bytes; k, M, G are powers of 1024
//   lifetime<1ms              ns, us, ms, s, min, h; =never: never freed, which is longest
//   time=1s..2s               allocated between these times since the start
//   thread=worker*            by name or number; of the allocating thread
//   function=parse            anywhere on the stack; !name: nowhere on it
//   module=libfoo*            likewise
//   heap=mmap                 another heap than malloc's: mmap, or a pool by its name
//   rank=0,8-15               of these processes of a parallel job; rank!=3: of all others
//   host=node7*, job=4711     of processes there; the whole name
//
// A pattern with *, ? or [ has to match the whole name, any other may be part of it. Several
// patterns for one thing: any of those without !, and none of those with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

// Whether `text` fits a pattern: see above, without the `!`.
bool matches(std::string_view pattern, std::string_view text);

struct Patterns {
  std::vector<std::string> in;
  std::vector<std::string> out;
  bool empty() const { return in.empty() && out.empty(); }
  bool operator==(const Patterns&) const = default;
};

// A range of whole numbers, both ends included.
struct Bounds {
  uint64_t least = 0;
  uint64_t most = UINT64_MAX;
  bool holds(uint64_t value) const { return value >= least && value <= most; }
  bool is_open() const { return least == 0 && most == UINT64_MAX; }
  bool operator==(const Bounds&) const = default;
};

struct Filter {
  Bounds size;
  Bounds lifetime_ns;
  Bounds time_ns;
  Patterns threads;
  Patterns modules;
  Patterns functions;
  Patterns heaps;  // none: malloc's
  Patterns ranks;  // "3" or "8-15"
  Patterns hosts;
  Patterns jobs;

  // Whether it looks at blocks, not only at their stacks.
  bool on_blocks() const {
    return !size.is_open() || !lifetime_ns.is_open() || !time_ns.is_open() || !threads.empty() ||
           on_processes();
  }
  bool on_processes() const { return !ranks.empty() || !hosts.empty() || !jobs.empty(); }
  bool on_stacks() const { return !modules.empty() || !functions.empty(); }
  bool operator==(const Filter&) const = default;
};

// Throws Error that names the word it does not understand and what is allowed.
Filter parse_filter(std::string_view text);

// One number, or two with a dash between them, as a condition on ranks has them. Throws Error.
Bounds parse_ranks(std::string_view text);

// As base/units.h reads them: bytes, and nanoseconds. Throw Error.
uint64_t parse_bytes(std::string_view text);
uint64_t parse_duration(std::string_view text);

}  // namespace heapledger
