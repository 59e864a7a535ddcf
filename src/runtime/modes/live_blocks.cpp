#include "runtime/modes/live_blocks.h"

#include "format/live_tables.h"
#include "runtime/ledger/file.h"
#include "runtime/modes/live_records.h"
#include "runtime/os/os.h"
#include "runtime/unwind/shared_memory.h"

namespace heapledger::runtime {
namespace {

using format::LiveRecord;

// A slot has the number of a record, plus one, and four bits of the address's hash above. A slot
// that was used once is never empty again: so whoever looks for an address and comes to an empty
// one knows that it is not further on.
constexpr uint32_t kEmpty = 0;
constexpr uint32_t kUsedOnce = UINT32_MAX;
constexpr unsigned kTagShift = 28;
constexpr uint32_t kNumberMask = (1u << kTagShift) - 1;

// A cache line. An address belongs into one line of a level, or the one beside it.
constexpr unsigned kSlots = 16;
struct alignas(64) Line {
  std::atomic<uint32_t> slots[kSlots];
};

constexpr unsigned kFirstBits = 12;  // of the number of lines: 256 KiB, touched as they are needed
constexpr unsigned kMaxLevels = 17;
constinit Line first_level[1u << kFirstBits] = {};
constinit std::atomic<Line*> levels[kMaxLevels] = {first_level};
constinit std::atomic<unsigned> newest{0};

unsigned bits_of(unsigned level) {
  return level == 0 ? kFirstBits : kFirstBits + level - 1;
}

struct Hash {
  uint64_t value;
  explicit Hash(uint64_t address) : value((address >> 3) * 0x9E3779B97F4A7C15ull) {}
  uint64_t line(unsigned level) const { return value >> (64 - bits_of(level)); }
  unsigned start() const { return static_cast<unsigned>(value >> 20) % kSlots; }
  uint32_t tag() const { return static_cast<uint32_t>(value >> 24 & 15) << kTagShift; }
};

struct Packed {
  uint32_t low;
  uint32_t high;
};
Packed pack(uint64_t address) {
  uint64_t units = address >> format::kLiveAddressShift;
  return {static_cast<uint32_t>(units), static_cast<uint32_t>(units >> 32 & 0xFFF)};
}

uint32_t load(const uint32_t& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
void store(uint32_t& word, uint32_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

bool is_of(uint32_t slot, Packed address) {
  const LiveRecord& record = live_record((slot & kNumberMask) - 1);
  return load(record.address_low) == address.low &&
         (load(record.address_high_thread) & 0xFFF) == address.high;
}

// Looks in one line, from the slot where the address would like to be. `ends`: there was an empty
// one.
std::atomic<uint32_t>* find_in(Line& line, Hash hash, Packed address, uint32_t& value, bool& ends) {
  for (unsigned i = 0; i < kSlots; ++i) {
    std::atomic<uint32_t>& slot = line.slots[(hash.start() + i) % kSlots];
    value = slot.load(std::memory_order_acquire);
    if (value == kEmpty) {
      ends = true;
      return nullptr;
    }
    if ((value & ~kNumberMask) == hash.tag() && value != kUsedOnce && is_of(value, address)) {
      return &slot;
    }
  }
  return nullptr;
}

bool put_in(Line& line, Hash hash, uint32_t value) {
  for (unsigned i = 0; i < kSlots; ++i) {
    std::atomic<uint32_t>& slot = line.slots[(hash.start() + i) % kSlots];
    uint32_t seen = slot.load(std::memory_order_relaxed);
    while (seen == kEmpty || seen == kUsedOnce) {
      if (slot.compare_exchange_weak(seen, value, std::memory_order_acq_rel)) return true;
    }
  }
  return false;
}

bool put(Hash hash, uint32_t value, unsigned top) {
  for (unsigned level = top + 1; level-- > 0;) {
    Line* lines = levels[level].load(std::memory_order_acquire);
    uint64_t home = hash.line(level);
    if (put_in(lines[home], hash, value) || put_in(lines[home ^ 1], hash, value)) return true;
  }
  return false;
}

// Makes sure that there is a level after this one.
bool add_level(unsigned after) {
  if (after + 1 >= kMaxLevels) return false;
  if (provide(levels[after + 1], sizeof(Line) << bits_of(after + 1)) == nullptr) return false;
  newest.compare_exchange_strong(after, after + 1, std::memory_order_acq_rel);
  return true;
}

// The address last: whoever finds it finds the rest.
void write_record(LiveRecord& record, const LiveFacts& facts) {
  Packed address = pack(facts.address);
  uint64_t size = facts.size < format::kLiveMaxSize ? facts.size : format::kLiveMaxSize;
  uint32_t uses = (load(record.address_high_thread) >> format::kLiveUseShift) + 1;
  store(record.size_low, static_cast<uint32_t>(size));
  store(record.site_size_high, facts.site | static_cast<uint32_t>(size >> 32)
                                                << format::kLiveSiteBits);
  store(record.time, facts.time);
  store(record.address_high_thread,
        address.high | facts.thread << format::kLiveThreadShift | uses << format::kLiveUseShift);
  __atomic_store_n(&record.address_low, address.low, __ATOMIC_RELEASE);
}

void erase_record(LiveRecord& record) {
  __atomic_store_n(&record.address_low, 0, __ATOMIC_RELEASE);
  store(record.address_high_thread, load(record.address_high_thread) & ~0xFFFu);
}

}  // namespace

bool add_live_record(Window* window, const LiveFacts& facts) {
  uint32_t number = take_live_record(window);
  if (__builtin_expect(number == kNoRecord, 0)) return false;
  LiveRecord& record = live_record(number);
  write_record(record, facts);
  Hash hash(facts.address);
  uint32_t value = hash.tag() | (number + 1);
  for (;;) {
    unsigned top = newest.load(std::memory_order_acquire);
    if (__builtin_expect(put(hash, value, top), 1)) return true;
    if (!add_level(top)) break;
  }
  erase_record(record);
  return_live_record(window, number);
  return false;
}

LivePlace find_live_record(uint64_t address) {
  Hash hash(address);
  Packed packed = pack(address);
  for (unsigned level = newest.load(std::memory_order_acquire) + 1; level-- > 0;) {
    Line* lines = levels[level].load(std::memory_order_acquire);
    uint64_t home = hash.line(level);
    for (uint64_t side = 0; side < 2; ++side) {
      uint32_t value;
      bool ends = false;
      std::atomic<uint32_t>* slot = find_in(lines[home ^ side], hash, packed, value, ends);
      if (slot != nullptr) return {slot, value};
      if (ends) break;
    }
  }
  return {};
}

bool remove_live_record(Window* window, LivePlace place, LiveFacts& facts) {
  uint32_t number = (place.value & kNumberMask) - 1;
  LiveRecord& record = live_record(number);
  uint32_t site_size = load(record.site_size_high);
  facts.size = load(record.size_low) | uint64_t{site_size >> format::kLiveSiteBits} << 32;
  facts.site = site_size & ((1u << format::kLiveSiteBits) - 1);
  uint32_t expected = place.value;
  if (!place.slot->compare_exchange_strong(expected, kUsedOnce, std::memory_order_acq_rel)) {
    return false;
  }
  erase_record(record);
  return_live_record(window, number);
  return true;
}

void forget_live_records(bool all) {
  forget_free_records(all);
  if (!all) return;
  for (unsigned level = 1; level < kMaxLevels; ++level) {
    Line* lines = levels[level].exchange(nullptr, std::memory_order_relaxed);
    if (lines != nullptr) os::unmap(lines, sizeof(Line) << bits_of(level));
  }
  for (Line& line : first_level) {
    for (std::atomic<uint32_t>& slot : line.slots) slot.store(kEmpty, std::memory_order_relaxed);
  }
  newest.store(0, std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
