// Blocks that reach their size in steps: by realloc, or as a vector does it, by a larger block that
// is allocated just before the smaller one is freed. So that blocks which only replace one another
// are not taken for a vector, the smaller one was the last from the same site before, or all are
// larger by the factor that vectors grow by. Memory in proportion to sites and what is live.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/query/events.h"

namespace heapledger {

// Of one site: only what grew at least twice, so that three blocks or more came one after the
// other.
struct Growth {
  uint64_t chains = 0;          // blocks that grew
  uint64_t steps = 0;           // that took; each is a call
  uint64_t by_realloc = 0;      // of these steps
  uint64_t outgrown_bytes = 0;  // of all blocks but the last of each chain
  uint64_t copied_bytes = 0;    // of these, what went to another address
  uint64_t largest = 0;         // block at the end of a chain

  void add(const Growth& other);
};

class GrowthWatch {
 public:
  // Whether two sites belong to the same code: asked only for blocks whose sizes fit.
  using SameCode = std::function<bool(uint32_t, uint32_t)>;
  // Where the figures of a site are.
  using Find = std::function<Growth&(uint32_t site)>;

  GrowthWatch(SameCode same_code, Find find)
      : same_code_(std::move(same_code)), find_(std::move(find)) {}

  // Every event of one ledger, in order.
  void see(const BlockEvent& event);

 private:
  // How much larger the next block of a vector is.
  enum class Factor : uint8_t { kUnknown, kDouble, kHalfMore };
  struct Chain {
    uint32_t steps = 0;
    Factor factor = Factor::kUnknown;
    uint32_t by_realloc = 0;
    uint64_t outgrown_bytes = 0;
    uint64_t copied_bytes = 0;
  };
  struct Outgrown {
    Chain chain;
    uint64_t size = 0;
    uint64_t address = 0;
  };
  struct Thread {
    std::optional<BlockEvent> born;    // by its last operation, which was no resize
    uint64_t before = 0;               // address of the block that the same site gave before that
    std::optional<Outgrown> resizing;  // its block is born next
  };

  static Factor factor_of(uint64_t from, uint64_t to);
  Thread& thread(uint32_t number);
  bool grew(Outgrown& old, const BlockEvent& freed, const BlockEvent& grown) const;
  Outgrown take(const BlockEvent& event);
  void born(const BlockEvent& event);
  void freed(const BlockEvent& event);
  void step(const Outgrown& old, const BlockEvent& grown, bool by_realloc);

  SameCode same_code_;
  Find find_;
  std::vector<Thread> threads_;
  std::unordered_map<uint32_t, uint64_t> last_;  // by site: address of its last block
  std::unordered_map<uint64_t, Chain> chains_;   // by address: live blocks that grew
};

}  // namespace heapledger
