#include "cores/reachability_stacks.h"

#include <algorithm>
#include <map>
#include <string>

namespace heapledger::cores {
namespace {

constexpr uint32_t kIntel32 = 3;
constexpr uint32_t kPower64 = 21;
constexpr uint32_t kIntel64 = 62;
constexpr uint64_t kStackPage = 4096;

// How far below the end of a stack the thread's own structure is looked for.
constexpr uint64_t kNearTheEnd = 64 << 10;

// What is known of the stack in a region.
struct Used {
  uint64_t from = UINT64_MAX;
  bool certain = true;
};

// The kernel puts the name of the program at the very end of the first stack, and a word of zeros
// behind it. What a core or a map calls a stack may be any memory with a stack pointer in it.
bool is_first_stack(const Memory& memory, const Region& region) {
  if (is_file(region) || region.end - region.start < kStackPage) return false;
  std::string tail(kStackPage, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(tail.data());
  if (!memory.read_all(region.end - kStackPage, {bytes, kStackPage})) return false;
  size_t last = tail.find_last_not_of('\0');
  // The name's own zero and the word; of a 32-bit program the kernel's word, which may be 8 bytes.
  if (last == std::string::npos || kStackPage - 1 - last < 1 + memory.shape().word_bytes ||
      kStackPage - 1 - last > 9) {
    return false;
  }
  size_t before = tail.rfind('\0', last);
  if (before == std::string::npos) return false;
  return std::all_of(tail.begin() + static_cast<long>(before) + 1,
                     tail.begin() + static_cast<long>(last) + 1,
                     [](char c) { return static_cast<unsigned char>(c) >= ' '; });
}

void add_below_pointers(const Memory& memory, std::vector<Stretch>& to) {
  std::map<const Region*, Used> stacks;
  uint64_t below = red_zone(memory.shape());
  for (const Thread& thread : memory.threads()) {
    uint64_t pointer = thread.stack_pointer;
    const Region* region = region_of(memory, pointer);
    if (region == nullptr) continue;
    Used& used = stacks[region];
    used.from = std::min(used.from, pointer - std::min(below, pointer - region->start));
    bool has_end = thread.thread_pointer >= pointer && thread.thread_pointer < region->end;
    used.certain = used.certain && (has_end || is_first_stack(memory, *region));
  }
  for (const auto& [region, used] : stacks) {
    if (used.certain) to.push_back({region->start, used.from});
  }
}

// The structure that glibc has for a thread begins with its own address, twice.
class EndedThreads {
 public:
  explicit EndedThreads(const Memory& memory) : memory_(memory), word_(memory.shape().word_bytes) {
    for (const Thread& thread : memory.threads()) {
      known_ = known_ && thread.thread_pointer != 0;
      alive_.push_back(thread.thread_pointer);
    }
    std::sort(alive_.begin(), alive_.end());
  }

  // `piece`: memory that is no heap, in a region without a stack pointer.
  void add(const Stretch& piece, UnusedStacks& to) const {
    uint64_t near = std::min(kNearTheEnd, piece.end - piece.start);
    std::string bytes(static_cast<size_t>(near), '\0');
    auto* data = reinterpret_cast<unsigned char*>(bytes.data());
    uint64_t from = piece.end - near;
    size_t got = memory_.read(from, {data, bytes.size()});
    size_t step = 16;
    for (size_t at = (step - from % step) % step; at + 3 * word_ <= got; at += step) {
      uint64_t address = from + at;
      if (word_at(data + at) == address && word_at(data + at + 2 * word_) == address &&
          has_ended(address)) {
        to.memory.push_back(
            {piece.start, std::min(piece.end, (address / kStackPage + 1) * kStackPage)});
        to.ended_threads.push_back(address);
      }
    }
  }

 private:
  uint64_t word_at(const unsigned char* bytes) const {
    bool big = memory_.shape().big_endian;
    return word_ == 8 ? Memory::decode<uint64_t>(bytes, big) : Memory::decode<uint32_t>(bytes, big);
  }

  bool has_ended(uint64_t address) const {
    if (std::binary_search(alive_.begin(), alive_.end(), address)) return false;
    if (known_) return true;
    // The kernel clears the thread's number when it ends.
    return memory_.number<uint32_t>(address + (word_ == 8 ? 720 : 104)) == 0u;
  }

  const Memory& memory_;
  size_t word_;
  std::vector<uint64_t> alive_;
  bool known_ = true;
};

void add_ended(const Memory& memory, const std::vector<Stretch>& heaps, UnusedStacks& to) {
  uint32_t machine = memory.shape().machine;
  if (machine != kIntel32 && machine != kIntel64) return;
  std::vector<uint64_t> pointers;
  for (const Thread& thread : memory.threads()) pointers.push_back(thread.stack_pointer);
  std::sort(pointers.begin(), pointers.end());
  std::vector<Stretch> pieces;
  for (const Region& region : memory.regions()) {
    auto inside = std::lower_bound(pointers.begin(), pointers.end(), region.start);
    bool has_stack = inside != pointers.end() && *inside < region.end;
    if (region.writable && !is_file(region) && !has_stack) {
      pieces.push_back({region.start, region.end});
    }
  }
  EndedThreads ended(memory);
  for (const Stretch& piece : without(pieces, heaps)) ended.add(piece, to);
}

}  // namespace

uint64_t red_zone(const Shape& shape) {
  if (shape.machine == kIntel64 && shape.word_bytes == 8) return 128;
  if (shape.machine == kPower64) return 288;
  return 0;
}

const Region* region_of(const Memory& memory, uint64_t address) {
  const std::vector<Region>& regions = memory.regions();
  auto next = std::upper_bound(regions.begin(), regions.end(), address,
                               [](uint64_t value, const Region& r) { return value < r.start; });
  if (next == regions.begin() || address >= (next - 1)->end) return nullptr;
  return &*(next - 1);
}

UnusedStacks unused_stacks(const Memory& memory, const std::vector<Stretch>& heaps) {
  UnusedStacks unused;
  if (memory.threads().empty()) return unused;
  add_below_pointers(memory, unused.memory);
  add_ended(memory, heaps, unused);
  put_in_order(unused.memory);
  return unused;
}

}  // namespace heapledger::cores
