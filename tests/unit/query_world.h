// Random histories for the tests of queries, and a model that answers questions about them the
// slow and obvious way: it keeps every block that ever was and looks at all of them for each
// figure. It shares no code with the analyzer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ledger_builder.h"
#include "symbols/symbol_table.h"

namespace heapledger::test {

// One function at one place in the source.
struct Place {
  std::string function;
  std::string file;
  uint32_t line = 0;
  std::string module;
  bool wrapper = false;
};

struct Block {
  uint32_t ledger = 0;
  uint64_t size = 0;
  uint32_t site = 0;
  uint32_t thread = 0;  // place in its ledger
  uint64_t birth_time = 0;
  uint64_t birth = 0;  // in the order of all events of all ledgers, from 1
  uint64_t death_time = UINT64_MAX;
  uint64_t death = UINT64_MAX;
  uint32_t freeing_thread = 0;
  bool by_resize = false;  // its death
  bool temporary = false;
  bool is_resized = false;  // its birth
  bool moved = false;
  uint64_t moved_bytes = 0;

  uint64_t lifetime() const { return death == UINT64_MAX ? UINT64_MAX : death_time - birth_time; }
};

// What happened up to and including an event.
struct Cut {
  uint64_t order = 0;
  uint64_t time = 0;
};
inline constexpr Cut kEnd{UINT64_MAX - 1, UINT64_MAX};

struct Sums {
  uint64_t calls = 0, bytes = 0, live_blocks = 0, live_bytes = 0, frees = 0;
  uint64_t ended_blocks = 0, ended_bytes = 0, temporary = 0;
  uint64_t resizes = 0, moved_blocks = 0, moved_bytes = 0, smallest = 0, largest = 0;
  uint64_t peak_bytes = 0, peak_blocks = 0, peak_time = 0;
  std::vector<uint64_t> lifetimes;  // sorted
  std::map<uint64_t, uint64_t> sizes;
  std::set<std::pair<uint32_t, uint32_t>> allocating, freeing;
};

class World {
 public:
  World(uint64_t seed, uint32_t ledgers, int steps);

  std::vector<std::string> files();
  const SymbolTable& symbols() const { return symbols_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  // The stack of a site, the innermost first; inlined functions included.
  const std::vector<Place>& stack(uint32_t site) const { return stacks_[site]; }
  size_t first_interesting(uint32_t site) const;
  // What tells a site from others: modules and addresses, the innermost first.
  const std::string& identity(uint32_t site) const { return identities_[site]; }
  std::string thread_name(uint32_t ledger, uint32_t thread) const;

  Cut peak() const;
  Cut rss_peak() const { return rss_peak_; }
  Cut at_time(uint64_t time) const;
  Cut marker(const std::string& name) const { return markers_.at(name); }
  uint64_t last_time() const { return time_; }

  using Choose = std::function<bool(const Block&)>;

  // Of the blocks chosen: at a moment, everything else being of the whole history …
  Sums at(Cut moment, const Choose& choose) const;
  // … or between two moments.
  Sums between(Cut begin, Cut end, const Choose& choose) const;

 private:
  void make_sites();
  void step();
  WindowBuilder& window(uint32_t ledger, uint32_t thread);
  void born(uint32_t ledger, uint32_t thread, uint64_t address, Block block);
  void died(uint32_t ledger, uint32_t thread, uint64_t address, bool by_resize);
  uint64_t take(uint32_t ledger);
  uint64_t fresh(uint32_t ledger);
  Sums count(bool whole, Cut begin, Cut end, const Choose& choose) const;

  struct Process {
    std::unique_ptr<LedgerBuilder> builder;
    std::map<uint64_t, size_t> live;  // address to number of block
    std::vector<uint64_t> order;      // of live addresses
    std::vector<uint64_t> unused;
    std::map<uint32_t, uint64_t> last;  // by thread
    uint64_t next = 0x7f0000000000;
    uint64_t rss = 0;
    uint64_t highest = 0;
  };

  std::mt19937_64 random_;
  std::vector<Process> processes_;
  std::vector<std::vector<Place>> stacks_;  // by site
  std::vector<std::string> identities_;     // likewise
  SymbolTable symbols_;
  std::vector<Block> blocks_;
  std::map<std::string, Cut> markers_;
  Cut rss_peak_;
  uint64_t rss_most_ = 0;
  uint64_t time_ = 100;
  uint64_t order_ = 0;
};

}  // namespace heapledger::test
