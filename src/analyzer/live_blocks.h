// The blocks that are live at the moment of a scan, by address. An open-addressing table made for
// this one use: a lookup touches one cache line as a rule, and prefetch() can fetch it in time.
// The hash has a random seed, so that no file can be made to collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heapledger {

struct LiveBlock {
  uint64_t address;  // 0: no block here
  uint64_t size;
  uint64_t time;     // of birth
  uint32_t account;  // of the site that allocated it
  uint32_t thread;   // that allocated it; upper bits: flags
};

inline constexpr uint32_t kThreadBits = (1u << 26) - 1;
// It stands for itself, whatever else of its ledger is sampled.
inline constexpr uint32_t kExactBlock = 1u << 26;
// A part of a block that was given back in parts; another one stands for the call.
inline constexpr uint32_t kPartOfBlock = 1u << 27;
// From here on: for whoever keeps the books.
inline constexpr uint32_t kFirstBookFlag = 1u << 28;

class LiveBlocks {
 public:
  LiveBlocks();

  uint64_t size() const { return count_; }

  void prefetch(uint64_t address) const { __builtin_prefetch(&slots_[home(address)], 1); }

  // nullptr when there is none. The pointer holds until the next insert or erase.
  LiveBlock* find(uint64_t address) {
    for (uint64_t at = home(address);; at = (at + 1) & mask_) {
      if (slots_[at].address == address) return &slots_[at];
      if (slots_[at].address == 0) return nullptr;
    }
  }

  // Where the block is now; nullptr, and nothing is changed, when one with that address is there.
  // No address is 0. The pointer holds until the next insert or erase.
  [[gnu::always_inline]] LiveBlock* place(const LiveBlock& block) {
    uint64_t at = home(block.address);
    while (slots_[at].address != 0) {
      if (slots_[at].address == block.address) return nullptr;
      at = (at + 1) & mask_;
    }
    slots_[at] = block;
    if (++count_ <= limit_) [[likely]] {
      return &slots_[at];
    }
    grow();
    return find(block.address);
  }
  bool insert(const LiveBlock& block) { return place(block) != nullptr; }

  // `block` comes from find().
  [[gnu::always_inline]] void erase(LiveBlock* block) {
    // What follows without a gap moves back, so that no marker for erased blocks is needed.
    auto hole = static_cast<uint64_t>(block - slots_.get());
    for (uint64_t at = (hole + 1) & mask_; slots_[at].address != 0; at = (at + 1) & mask_) {
      uint64_t from_home = (at - home(slots_[at].address)) & mask_;
      if (from_home >= ((at - hole) & mask_)) {
        slots_[hole] = slots_[at];
        hole = at;
      }
    }
    slots_[hole].address = 0;
    --count_;
  }

  // The blocks may be changed, but for their addresses.
  template <typename Use>
  void for_each(Use&& use) {
    for (uint64_t at = 0; at <= mask_; ++at) {
      if (slots_[at].address != 0) use(slots_[at]);
    }
  }

  template <typename Use>
  void for_each(Use&& use) const {
    for (uint64_t at = 0; at <= mask_; ++at) {
      if (slots_[at].address != 0) use(slots_[at]);
    }
  }

 private:
  uint64_t home(uint64_t address) const {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;  // spreads evenly spaced addresses
    return ((address ^ seed_) * kGoldenRatio) >> shift_;
  }
  void allocate(unsigned bits);
  void grow();

  struct Unmap {
    size_t bytes;
    void operator()(LiveBlock* slots) const;
  };
  using Slots = std::unique_ptr<LiveBlock[], Unmap>;

  Slots slots_;
  uint64_t seed_;
  uint64_t mask_ = 0;
  uint64_t count_ = 0;
  uint64_t limit_ = 0;
  unsigned shift_ = 0;
};

}  // namespace heapledger
