#include "cores/reachability_heaps.h"

#include <algorithm>
#include <optional>

#include "cores/reachability_stacks.h"

namespace heapledger::cores {
namespace {

// What glibc keeps in the low bits of a chunk's size.
constexpr uint64_t kInUseBefore = 1;
constexpr uint64_t kOwnMapping = 2;
constexpr uint64_t kThreadHeap = 4;
constexpr uint64_t kFlags = 7;

constexpr uint64_t kPage = 4096;  // the least there is; larger ones are multiples

// In all: hostile dumps may have any number of places to look at.
constexpr size_t kMostPlaces = size_t{1} << 22;

class HeapFinder {
 public:
  HeapFinder(const Memory& memory, const BlocksByAddress& blocks)
      : memory_(memory), blocks_(blocks), word_(memory.shape().word_bytes) {}

  void add_region(const Region& region, std::vector<Stretch>& to);

 private:
  uint64_t heap_bytes() const { return word_ == 8 ? uint64_t{64} << 20 : uint64_t{1} << 20; }

  Stretch heap_of_block(uint32_t place, const Stretch& whole) const;
  std::optional<Stretch> own_mapping(uint32_t place, uint64_t size_word) const;
  bool thread_heap_at(uint64_t start) const;
  bool first_heap_at(const Region& region);

  const Memory& memory_;
  const BlocksByAddress& blocks_;
  uint64_t word_;
  size_t places_left_ = kMostPlaces;
};

// A block so large that malloc mapped it on its own: whole pages, as its header says.
std::optional<Stretch> HeapFinder::own_mapping(uint32_t place, uint64_t size_word) const {
  uint64_t header = blocks_.start(place) - 2 * word_;
  auto before = memory_.word(header);
  uint64_t bytes = size_word & ~kFlags;
  if (!before || *before > header || bytes > UINT64_MAX - header) return std::nullopt;
  Stretch pages{header - *before, header + bytes};
  bool whole = pages.start % kPage == 0 && pages.end % kPage == 0;
  return whole && pages.end >= blocks_.end(place) ? std::optional(pages) : std::nullopt;
}

// The head of one of the heaps that glibc maps for threads: where its arena is, the heap before it,
// and how much of it is in use.
bool HeapFinder::thread_heap_at(uint64_t start) const {
  auto arena = memory_.word(start);
  auto before = memory_.word(start + word_);
  auto bytes = memory_.word(start + 2 * word_);
  auto open_bytes = memory_.word(start + 3 * word_);
  if (!arena || !before || !bytes || !open_bytes) return false;
  bool sizes = *bytes > 0 && *bytes <= *open_bytes && *open_bytes <= heap_bytes() &&
               *bytes % kPage == 0 && *open_bytes % kPage == 0;
  if (!sizes) return false;
  if (*before == 0) return *arena > start && *arena < start + *bytes;
  return *before % heap_bytes() == 0 && *arena % word_ == 0;
}

// A heap that grew by brk and holds nothing live: chunk follows on chunk to the very end.
bool HeapFinder::first_heap_at(const Region& region) {
  uint64_t chunk = region.start;
  for (; places_left_ > 0; --places_left_) {
    auto size = memory_.word(chunk + word_);
    if (!size || (chunk == region.start && (*size & kInUseBefore) == 0)) return false;
    uint64_t bytes = *size & ~kFlags;
    bool sound = (*size & (kOwnMapping | kThreadHeap)) == 0 && bytes >= 4 * word_ &&
                 bytes % (2 * word_) == 0 && bytes <= region.end - chunk;
    if (!sound) return false;
    chunk += bytes;
    if (chunk == region.end) return true;
  }
  return false;
}

Stretch HeapFinder::heap_of_block(uint32_t place, const Stretch& whole) const {
  uint64_t start = blocks_.start(place);
  auto size = start < 2 * word_ ? std::nullopt : memory_.word(start - word_);
  if (!size) return whole;
  if ((*size & kOwnMapping) != 0) {
    if (auto pages = own_mapping(place, *size)) return *pages;
  } else if ((*size & kThreadHeap) != 0) {
    uint64_t heap = start & ~(heap_bytes() - 1);
    if (thread_heap_at(heap)) return {heap, heap + heap_bytes()};
  }
  return whole;
}

void HeapFinder::add_region(const Region& region, std::vector<Stretch>& to) {
  Stretch whole{region.start, region.end};
  uint32_t place = blocks_.first_from(region.start);
  bool any = place < blocks_.size() && blocks_.start(place) < region.end;
  uint64_t known_to = 0;
  for (; place < blocks_.size() && blocks_.start(place) < region.end; ++place) {
    if (blocks_.start(place) < known_to) continue;
    Stretch heap = heap_of_block(place, whole);
    to.push_back(heap);
    known_to = heap.end;
    if (heap.start == whole.start && heap.end == whole.end) return;
  }
  if (is_file(region)) return;
  // Heaps that hold nothing live.
  uint64_t step = heap_bytes();
  uint64_t heap = (region.start + step - 1) / step * step;
  for (; heap >= region.start && heap < region.end && places_left_ > 0; --places_left_) {
    if (thread_heap_at(heap)) to.push_back(common({heap, heap + step}, whole));
    heap += step;
  }
  if (!any && (region.path == "[heap]" || first_heap_at(region))) to.push_back(whole);
}

// Where nothing more is known, a heap is from the first block to the last.
void add_between_blocks(const Stretch& where, const BlocksByAddress& blocks,
                        std::vector<Stretch>& to) {
  uint32_t first = blocks.first_from(where.start);
  uint32_t behind = blocks.first_from(where.end);
  if (first < behind) to.push_back({blocks.start(first), blocks.end(behind - 1)});
}

}  // namespace

std::vector<Stretch> heaps_of(const Memory& memory, const BlocksByAddress& blocks,
                              const std::vector<Stretch>& kept) {
  bool bare = memory.modules().empty() && memory.threads().empty();
  std::vector<Stretch> heaps;
  HeapFinder finder(memory, blocks);
  for (const Region& region : memory.regions()) {
    if (bare) {
      add_between_blocks({region.start, region.end}, blocks, heaps);
    } else if (region.writable) {
      finder.add_region(region, heaps);
    }
  }
  put_in_order(heaps);
  heaps = without(heaps, kept);
  // A program may have its heap in an array of its own.
  for (const Stretch& stretch : kept) add_between_blocks(stretch, blocks, heaps);
  put_in_order(heaps);
  return heaps;
}

}  // namespace heapledger::cores
