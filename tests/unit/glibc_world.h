// A heap of glibc's, laid out by hand as a given version would: what is in it is known because it
// was put there. For versions, word sizes and byte orders that no machine at hand has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores {

// What differs between versions.
struct GlibcVersion {
  std::string name;
  Shape shape;
  unsigned alignment;
  uint64_t bins_offset;  // in a malloc_state
  uint64_t heap_header;  // bytes of a heap_info
  bool protects;         // links in simple lists are mixed with their address
  unsigned cache_lists;
  unsigned cache_count_bytes;
  bool counts_free_places;
  bool newer_mapped;  // a mapped chunk's size is without the last two words
};

enum class Laid { kUsed, kBin, kFast, kCached };

class GlibcWorld final : public Memory {
 public:
  static constexpr uint64_t kVariables = 0x70000000;
  static constexpr uint64_t kMainArena = kVariables + 0x800;
  static constexpr uint64_t kMainHeap = 0x10000000;
  static constexpr uint64_t kOtherHeap = 0x20000000;
  static constexpr uint64_t kMapped = 0x50000000;
  static constexpr uint64_t kHeapBytes = 0x21000;

  explicit GlibcWorld(const GlibcVersion& version)
      : version_(version), word_(version.shape.word_bytes) {
    for (auto [start, size, path] :
         {std::tuple(kMainHeap, kHeapBytes, ""), std::tuple(kOtherHeap, kHeapBytes, ""),
          std::tuple(kMapped, uint64_t{0x80000}, ""),
          std::tuple(kVariables, uint64_t{0x4000}, "/lib/libc.so.6")}) {
      Region region;
      region.start = start;
      region.end = start + size;
      region.path = path;
      regions_.push_back(region);
      bytes_.emplace_back(size);
    }
    other_arena_ = kOtherHeap + version.heap_header;
    lay_arena(kMainArena, 0);
    lay_arena(other_arena_, 2);
    put(kOtherHeap, other_arena_);
    put(kOtherHeap + 2 * word_, kHeapBytes);
    lay_heap(kMainArena, kMainHeap, kMainHeap);
    lay_heap(other_arena_, kOtherHeap, other_arena_ + state_bytes());
    lay_mapped();
  }

  // What was laid out: addresses that the program would have, and their room.
  std::vector<std::pair<uint64_t, uint64_t>> used;
  uint64_t bin_chunks = 0, fast_chunks = 0, cached_chunks = 0;
  uint64_t bin_bytes = 0, fast_bytes = 0, cached_bytes = 0;

  uint64_t header_of(uint64_t block) const { return block - word_; }
  bool has_fastbins() const { return version_.bins_offset > 4 * uint64_t{word_}; }
  uint64_t other_arena() const { return other_arena_; }

  void put(uint64_t address, uint64_t value) {
    put_bytes(address, value, version_.shape.word_bytes);
  }
  void put_bytes(uint64_t address, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      unsigned place = version_.shape.big_endian ? count - 1 - i : i;
      if (unsigned char* byte = at(address + place)) {
        *byte = static_cast<unsigned char>(value >> (8 * i));
      }
    }
  }
  void cut(size_t region, size_t size) { bytes_[region].resize(size); }

  size_t read(uint64_t address, std::span<unsigned char> out) const override {
    for (size_t i = 0; i < regions_.size(); ++i) {
      uint64_t offset = address - regions_[i].start;
      if (address < regions_[i].start || offset >= bytes_[i].size()) continue;
      size_t count = std::min<size_t>(out.size(), bytes_[i].size() - offset);
      std::memcpy(out.data(), bytes_[i].data() + offset, count);
      return count;
    }
    return 0;
  }
  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return version_.shape; }

 private:
  unsigned char* at(uint64_t address) {
    for (size_t i = 0; i < regions_.size(); ++i) {
      uint64_t offset = address - regions_[i].start;
      if (address >= regions_[i].start && offset < bytes_[i].size()) return &bytes_[i][offset];
    }
    return nullptr;
  }

  uint64_t state_bytes() const { return version_.bins_offset + 254 * word_ + 16 + 5 * word_; }
  uint64_t aligned_chunk(uint64_t address) const {
    while ((address + 2 * word_) % version_.alignment != 0) ++address;
    return address;
  }
  uint64_t rounded(uint64_t bytes) const {
    return (bytes + version_.alignment - 1) / version_.alignment * version_.alignment;
  }
  uint64_t least() const { return rounded(4 * word_); }

  void lay_arena(uint64_t arena, uint32_t flags) {
    put_bytes(arena + 4, flags, 4);
    for (unsigned i = 0; i < 127; ++i) {
      uint64_t links = arena + version_.bins_offset + 2 * word_ * i;
      put(links, links - 2 * word_);
      put(links + word_, links - 2 * word_);
    }
    uint64_t next = arena + version_.bins_offset + 254 * word_ + 16;
    put(next, arena == kMainArena ? other_arena_ : kMainArena);
    put(next + 2 * word_, 1);
    put(next + 3 * word_, kHeapBytes);
    put(next + 4 * word_, kHeapBytes);
  }

  // Where the next link of a simple list is, it is stored as the version does.
  void put_link(uint64_t address, uint64_t to) {
    put(address, version_.protects ? to ^ (address >> 12) : to);
  }

  void lay_heap(uint64_t arena, uint64_t heap, uint64_t start) {
    uint64_t cache_bytes =
        rounded(version_.cache_lists * (version_.cache_count_bytes + word_) + word_);
    uint64_t at_chunk = aligned_chunk(start);
    uint64_t mark = arena == kMainArena ? 0 : 4;
    cache_ = at_chunk;
    put(at_chunk + word_, cache_bytes | 1 | mark);
    at_chunk += cache_bytes;
    uint64_t unsorted = arena + version_.bins_offset - 2 * word_;
    uint64_t last_free = unsorted;
    uint64_t fast = 0;
    uint64_t cached[64] = {};
    bool before_used = true;
    uint64_t before_size = 0;
    for (unsigned i = 0; i < 600; ++i) {
      // Used ones between all free ones, as they would melt otherwise.
      Laid kind = i % 2 == 0 ? Laid::kUsed : static_cast<Laid>(i / 2 % 4);
      uint64_t size = least() + (i * 7 % 12) * version_.alignment;
      if (kind == Laid::kFast && !has_fastbins()) kind = Laid::kUsed;
      if (kind == Laid::kFast) size = least() + version_.alignment;
      if (!before_used) put(at_chunk, before_size);
      put(at_chunk + word_, size | (before_used ? 1 : 0) | (kind == Laid::kBin ? 0 : mark));
      uint64_t block = at_chunk + 2 * word_;
      if (kind == Laid::kUsed) used.emplace_back(block, size - word_);
      if (kind == Laid::kBin) {
        put(last_free + 2 * word_, at_chunk);
        put(block + word_, last_free);
        put(block, unsorted);
        put(unsorted + 3 * word_, at_chunk);
        last_free = at_chunk;
        ++bin_chunks, bin_bytes += size;
      }
      if (kind == Laid::kFast) {
        put_link(block, fast);
        fast = at_chunk;
        ++fast_chunks, fast_bytes += size;
      }
      if (kind == Laid::kCached) {
        uint64_t list = (size - least()) / version_.alignment;
        put_link(block, cached[list]);
        cached[list] = block;
        lay_cached(list, block);
        ++cached_chunks, cached_bytes += size;
      }
      before_used = kind != Laid::kBin;
      before_size = size;
      at_chunk += size;
    }
    put(arena + version_.bins_offset - 2 * word_, at_chunk);
    put(at_chunk + word_, (heap + kHeapBytes - at_chunk) | 1);
    if (fast != 0) put(arena + version_.bins_offset - 3 * word_, fast);
  }

  void lay_cached(uint64_t list, uint64_t block) {
    uint64_t counts = cache_ + 2 * word_;
    unsigned bytes = version_.cache_count_bytes;
    uint64_t count = Memory::decode<uint8_t>(
        at(counts + list * bytes + (version_.shape.big_endian ? bytes - 1 : 0)), false);
    put_bytes(counts + list * bytes, version_.counts_free_places ? 3 : count + 1, bytes);
    put(counts + version_.cache_lists * bytes + list * word_, block);
  }

  // Two neighbours, and behind a gap one that had to be aligned to a page.
  void lay_mapped() {
    uint64_t pad = aligned_chunk(kMapped) - kMapped;
    uint64_t less = version_.newer_mapped ? 2 * word_ : 0;
    auto lay = [&](uint64_t page, uint64_t offset, uint64_t whole) {
      put(page + offset, offset);
      put(page + offset + word_, (whole - offset - less) | 2);
    };
    uint64_t over = 2 * word_;  // what no block has room for
    lay(kMapped, pad, 0x20000);
    used.emplace_back(kMapped + pad + 2 * word_, 0x20000 - pad - (less ? less + word_ : over));
    lay(kMapped + 0x20000, pad, 0x3000);
    used.emplace_back(kMapped + 0x20000 + pad + 2 * word_,
                      0x3000 - pad - (less ? less + word_ : over));
    uint64_t page = kMapped + 0x40000;
    lay(page, pad, 0x10000);
    lay(page, 0x1000 - 2 * word_, 0x10000);
    used.emplace_back(page + 0x1000, 0x10000 - 0x1000 + 2 * word_ - (less ? less + word_ : over));
  }

  GlibcVersion version_;
  uint64_t word_;
  uint64_t other_arena_ = 0;
  uint64_t cache_ = 0;
  std::vector<Region> regions_;
  std::vector<std::vector<unsigned char>> bytes_;
  std::vector<Module> modules_;
  std::vector<Thread> threads_;
};

inline std::vector<GlibcVersion> all_glibc_versions() {
  Shape amd64{8, false, 62}, i386{4, false, 3}, arm{4, false, 40}, s390x{8, true, 22},
      power{4, true, 20};
  return {
      {"2_26 x86-64", amd64, 16, 104, 0x20, false, 64, 1, false, false},
      {"2_28 x86-64", amd64, 16, 112, 0x20, false, 64, 1, false, false},
      {"2_31 x86-64", amd64, 16, 112, 0x20, false, 64, 2, false, false},
      {"2_36 x86-64", amd64, 16, 112, 0x30, true, 64, 2, false, false},
      {"2_42 x86-64", amd64, 16, 112, 0x30, true, 76, 2, true, false},
      {"2_43 x86-64", amd64, 16, 24, 0x30, true, 76, 2, true, true},
      {"2_26 i386", i386, 16, 60, 24, false, 64, 1, false, false},
      {"2_36 i386", i386, 16, 64, 24, true, 64, 2, false, false},
      {"2_31 ARM", arm, 8, 60, 16, false, 64, 2, false, false},
      {"2_36 s390x", s390x, 16, 112, 0x30, true, 64, 2, false, false},
      {"2_31 PowerPC", power, 16, 64, 24, false, 64, 2, false, false},
  };
}

}  // namespace heapledger::cores
