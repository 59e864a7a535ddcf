#include "runtime/modes/sampled_blocks.h"

#include "runtime/ledger/file.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {

constinit std::atomic<uint8_t> sampled_filter[kFilterCounters] = {};

namespace {

constexpr uint8_t kManyForEver = 255;
constexpr unsigned kSlots = 7;
constexpr unsigned kProbes = 4;  // lines that an address may be in
constexpr unsigned kFirstBits = 9;
constexpr unsigned kMaxLevels = 24;

// A cache line of addresses; 0: free.
struct alignas(64) Line {
  std::atomic<uint64_t> slots[kSlots];
  std::atomic<uint64_t> full_once;  // an address may have gone on to the next line
};

// The set is in levels, each twice as large as the one before. New addresses go into the newest;
// when it has no place near where an address belongs, there is one more. No address ever moves.
constinit Line first_level[1u << kFirstBits] = {};
constinit std::atomic<Line*> levels[kMaxLevels] = {first_level};
constinit std::atomic<unsigned> newest{0};

Line* line_at(Line* level, unsigned number, uint64_t address, unsigned probe) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15u;
  unsigned bits = kFirstBits + number;
  uint64_t home = (address * kGoldenRatio) >> (64 - bits);
  return level + ((home + probe) & ((uint64_t{1} << bits) - 1));
}

bool add_to(Line* level, unsigned number, uint64_t address) {
  for (unsigned probe = 0; probe < kProbes; ++probe) {
    Line* line = line_at(level, number, address, probe);
    for (std::atomic<uint64_t>& slot : line->slots) {
      uint64_t free = 0;
      if (slot.load(std::memory_order_relaxed) == 0 &&
          slot.compare_exchange_strong(free, address, std::memory_order_relaxed)) {
        return true;
      }
    }
    line->full_once.store(1, std::memory_order_relaxed);
  }
  return false;
}

std::atomic<uint64_t>* find_in(Line* level, unsigned number, uint64_t address) {
  for (unsigned probe = 0; probe < kProbes; ++probe) {
    Line* line = line_at(level, number, address, probe);
    for (std::atomic<uint64_t>& slot : line->slots) {
      if (slot.load(std::memory_order_relaxed) == address) return &slot;
    }
    if (line->full_once.load(std::memory_order_relaxed) == 0) return nullptr;
  }
  return nullptr;
}

std::atomic<uint64_t>* find(uint64_t address) {
  for (unsigned number = newest.load(std::memory_order_acquire) + 1; number-- > 0;) {
    Line* level = levels[number].load(std::memory_order_acquire);
    if (std::atomic<uint64_t>* slot = find_in(level, number, address)) return slot;
  }
  return nullptr;
}

// Makes sure that there is a level after this one.
bool add_level(unsigned after) {
  if (after + 1 >= kMaxLevels) return false;
  if (levels[after + 1].load(std::memory_order_acquire) == nullptr) {
    if (filter_expected()) return false;
    size_t bytes = sizeof(Line) << (kFirstBits + after + 1);
    void* memory = os::map_private(bytes);
    if (memory == nullptr) return false;
    Line* none = nullptr;
    if (!levels[after + 1].compare_exchange_strong(none, static_cast<Line*>(memory),
                                                   std::memory_order_acq_rel)) {
      os::unmap(memory, bytes);
    }
  }
  newest.compare_exchange_strong(after, after + 1, std::memory_order_acq_rel);
  return true;
}

void count_in_filter(uint64_t address) {
  std::atomic<uint8_t>& counter = sampled_filter[filter_place(address)];
  uint8_t seen = counter.load(std::memory_order_relaxed);
  while (seen != kManyForEver &&
         !counter.compare_exchange_weak(seen, static_cast<uint8_t>(seen + 1))) {
  }
}

void uncount_in_filter(uint64_t address) {
  std::atomic<uint8_t>& counter = sampled_filter[filter_place(address)];
  uint8_t seen = counter.load(std::memory_order_relaxed);
  while (seen != kManyForEver &&
         !counter.compare_exchange_weak(seen, static_cast<uint8_t>(seen - 1))) {
  }
}

}  // namespace

bool add_sampled(uint64_t address) {
  for (;;) {
    unsigned number = newest.load(std::memory_order_acquire);
    if (add_to(levels[number].load(std::memory_order_acquire), number, address)) break;
    if (!add_level(number)) return false;
  }
  count_in_filter(address);
  return true;
}

bool is_sampled(uint64_t address) {
  return address != 0 && may_be_sampled(address) && find(address) != nullptr;
}

bool remove_sampled(uint64_t address) {
  if (address == 0 || !may_be_sampled(address)) return false;
  while (std::atomic<uint64_t>* slot = find(address)) {
    uint64_t expected = address;
    if (!slot->compare_exchange_strong(expected, 0)) continue;
    uncount_in_filter(address);
    return true;
  }
  return false;
}

}  // namespace heapledger::runtime
