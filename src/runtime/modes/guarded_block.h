// How a guarded block lies in the memory that the real allocator gave for it:
//
//   base …  header (32 bytes)  guard (16)  the program's bytes  guard (16)
//
// The guard bytes depend on the block's address, so that copied ones are not taken for real. They
// are from 0x80 to 0xBF: what programs write past an end by mistake, text, zeros, small numbers or
// ones, always differs. The first of them are how a block is recognised: no more than the 16 bytes
// before a block are read of one that may not be ours, because nothing else is sure to be there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "runtime/os/os.h"

namespace heapledger::runtime {

// What is wrong with a block. Values are part of the format.
enum class Damage : uint32_t { kNone = 0, kBefore = 1, kAfter = 2, kFreedAlready = 3 };

struct Found {
  Damage damage = Damage::kNone;
  int64_t offset = 0;  // of the first wrong byte: negative before the block
};

class GuardedBlock {
 public:
  static constexpr size_t kGuard = 16;
  static constexpr size_t kBefore = 48;  // header and guard

  explicit GuardedBlock(void* block) : at_(static_cast<unsigned char*>(block)) {}

  // Bytes of the real allocation before the block's own, for an alignment that is a power of two.
  static size_t lead_of(size_t alignment) {
    return alignment <= kGuard ? kBefore : (kBefore + alignment - 1) & ~(alignment - 1);
  }

  // Sets up a block of `size` bytes at `base` + `lead`; returns its address.
  static void* make(void* base, size_t lead, size_t size) {
    GuardedBlock block(static_cast<unsigned char*>(base) + lead);
    block.put({reinterpret_cast<uint64_t>(base), 0, size, block.check_of(size, kLive)});
    unsigned char guard[kGuard];
    block.put_guard(guard);
    memcpy(block.at_ - kGuard, guard, kGuard);
    memcpy(block.at_ + size, guard, kGuard);
    return block.at_;
  }

  // Whether the block is one of ours, damaged or not.
  bool is_ours() const {
    if (first_wrong(at_ - kGuard) < 0) return true;
    // Either not ours, or written over: then the header still tells.
    constexpr uintptr_t kPage = 4096;
    auto begin = reinterpret_cast<uintptr_t>(at_ - kBefore);
    bool same_page = begin / kPage == reinterpret_cast<uintptr_t>(at_ - kGuard) / kPage;
    if (!same_page && !os::is_readable(at_ - kBefore)) return false;
    Header header = get();
    return header.check == check_of(header.size, kLive) ||
           header.check == check_of(header.size, kFreed);
  }

  // For blocks that are ours:
  size_t size() const { return get().size; }
  void* base() const { return reinterpret_cast<void*>(get().base); }
  size_t lead() const { return static_cast<size_t>(at_ - static_cast<unsigned char*>(base())); }

  Found look() const {
    Header header = get();
    if (header.check == check_of(header.size, kFreed)) return {Damage::kFreedAlready, 0};
    int64_t wrong = first_wrong(at_ - kGuard);
    if (wrong >= 0) return {Damage::kBefore, wrong - static_cast<int64_t>(kGuard)};
    // A header that was written over tells nothing about the end.
    if (header.check != check_of(header.size, kLive)) {
      return {Damage::kBefore, -static_cast<int64_t>(kBefore)};
    }
    wrong = first_wrong(at_ + header.size);
    if (wrong >= 0) return {Damage::kAfter, static_cast<int64_t>(header.size) + wrong};
    return {};
  }

  // Whether the header can be trusted to say where the memory begins.
  bool has_header() const {
    Header header = get();
    return header.check == check_of(header.size, kLive) ||
           header.check == check_of(header.size, kFreed);
  }

  void mark_freed() {
    Header header = get();
    header.check = check_of(header.size, kFreed);
    put(header);
  }

 private:
  // The words that the allocator writes into a free block come first.
  struct Header {
    uint64_t base;
    uint64_t reserved;
    uint64_t size;
    uint64_t check;
  };
  static_assert(sizeof(Header) + kGuard == kBefore);
  static constexpr uint64_t kLive = 0x6C'69'76'65'62'6C'6F'63;
  static constexpr uint64_t kFreed = 0x66'72'65'65'62'6C'6F'63;

  Header get() const {
    Header header;
    memcpy(&header, at_ - kBefore, sizeof header);
    return header;
  }
  void put(const Header& header) { memcpy(at_ - kBefore, &header, sizeof header); }

  uint64_t word() const {
    return (reinterpret_cast<uint64_t>(at_) * 0x9E3779B97F4A7C15ull) ^ 0xB5C3A7F19D2E6B48ull;
  }
  void put_guard(unsigned char* guard) const {
    for (uint64_t bits : {word(), ~word()}) {
      bits = (bits & 0x3F3F'3F3F'3F3F'3F3Full) | 0x8080'8080'8080'8080ull;
      memcpy(guard, &bits, sizeof bits);
      guard += sizeof bits;
    }
  }
  uint64_t check_of(uint64_t size, uint64_t state) const {
    return (word() ^ state) + size * 0xD1B54A32D192ED03ull;
  }

  // Which of the guard bytes is not as it was; -1: all are.
  int64_t first_wrong(const unsigned char* guard) const {
    unsigned char right[kGuard];
    put_guard(right);
    if (memcmp(guard, right, kGuard) == 0) return -1;
    for (size_t i = 0; i < kGuard; ++i) {
      if (guard[i] != right[i]) return static_cast<int64_t>(i);
    }
    return -1;
  }

  unsigned char* at_;
};

}  // namespace heapledger::runtime
