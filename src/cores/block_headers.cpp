#include "cores/block_headers.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "cores/block_header_choice.h"
#include "cores/block_header_scan.h"
#include "cores/live_site_trie.h"
#include "cores/memory.h"
#include "elf/reader.h"
#include "format/entry.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kNanoseconds = 1'000'000'000;

FoundHeaders describe(ScannedHeaders& scanned, const Memory& memory) {
  FoundHeaders found = agreement(scanned, memory);
  if (const ProgramImage* image = image_of(scanned, found)) {
    found.shape.machine = image->machine;
    found.anchor_address = image->anchor;
    found.tag = image->tag;
  } else if (addresses_known(memory)) {
    found.shape.machine = memory.shape().machine;
  }
  return found;
}

// Ticks of the program's clock, made nanoseconds since its start.
class Clock {
 public:
  explicit Clock(const ProgramImage* image) {
    if (image == nullptr || (image->flags & kFlagClock) == 0) return;
    start_ = image->start_ticks;
    ticks_per_second_ = image->ticks_per_second;
  }

  bool is_known() const { return ticks_per_second_ != 0; }
  uint64_t nanoseconds(uint64_t ticks) const {
    if (!is_known() || ticks <= start_) return 0;
    uint64_t since = ticks - start_;
    uint64_t seconds = since / ticks_per_second_;
    if (seconds > UINT64_MAX / kNanoseconds - 1) return UINT64_MAX;
    auto rest = static_cast<__uint128_t>(since % ticks_per_second_) * kNanoseconds;
    return seconds * kNanoseconds + static_cast<uint64_t>(rest / ticks_per_second_);
  }

 private:
  uint64_t start_ = 0;
  uint64_t ticks_per_second_ = 0;
};

class HeapBuilder {
 public:
  HeapBuilder(const Memory& memory, LiveHeap& heap, const Clock& clock)
      : memory_(memory), heap_(heap), clock_(clock), sites_(heap.sites) {}

  void add(const BlockHeader& header) {
    LiveBlock block;
    block.address = header.self;
    block.size = header.bytes;
    block.time = clock_.nanoseconds(header.time);
    block.site = site_of(header);
    if (header.flags & kFlagThread) block.thread = thread_of(header.thread);
    heap_.blocks.push_back(block);
    // It holds the block's own address, which must not keep it reachable.
    heap_.own_ranges.push_back({header.start(), header.self});
    heap_.now_ns = std::max(heap_.now_ns, block.time);
    if (header.frame_count > 0) heap_.has_stacks = true;
  }

 private:
  uint32_t site_of(const BlockHeader& header) {
    unsigned char bytes[kMostFrameBytes];
    size_t frame_bytes = size_t{header.frame_count} * header.word_bytes;
    if (!memory_.read_all(header.frames_at(), std::span(bytes).first(frame_bytes))) return 0;
    uint32_t site = 0;
    if (header.flags & kFlagMoreFrames) {
      site = sites_.below(0, format::kMarkDepth);
    } else if (header.flags & kFlagCut) {
      site = sites_.below(0, format::kMarkCut);
    }
    for (size_t i = header.frame_count; i-- > 0;) {
      uint64_t pc = frame(header, bytes + i * header.word_bytes);
      // What a hook of the program made up must not look like a mark.
      if (pc >= format::kFirstCode) site = sites_.below(site, pc);
    }
    return site != 0 ? site : sites_.below(0, format::kMarkNone);
  }

  uint64_t frame(const BlockHeader& header, const unsigned char* bytes) const {
    if (header.word_bytes == 8) return Memory::decode<uint64_t>(bytes, header.big_endian);
    uint64_t pc = Memory::decode<uint32_t>(bytes, header.big_endian);
    // The lowest bit says that it is Thumb code.
    return heap_.shape.machine == elf::kMachineArm ? pc & ~uint64_t{1} : pc;
  }

  uint32_t thread_of(uint32_t number) {
    auto [entry, added] = threads_.emplace(number, static_cast<uint32_t>(heap_.threads.size()));
    if (added) heap_.threads.push_back({number, {}});
    return entry->second;
  }

  const Memory& memory_;
  LiveHeap& heap_;
  const Clock& clock_;
  LiveSiteTrie sites_;
  std::map<uint32_t, uint32_t> threads_;
};

std::string in_hexadecimal(uint64_t number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[number & 15]);
    number >>= 4;
  } while (number != 0);
  return "0x" + digits;
}

// What the program itself has counted is another witness: where both agree there is no doubt, and
// what else lies around in memory is no problem.
void tell_problems(const ScannedHeaders& scanned, const ChosenHeaders& chosen,
                   const FoundHeaders& found, const ProgramImage* image, LiveHeap& heap) {
  auto tell = [&](std::string text) { heap.problems.push_back(std::move(text)); };
  if (found.displacement != 0) {
    tell("the headers say that this memory begins at " + in_hexadecimal(found.base) + ", not at " +
         in_hexadecimal(found.base - found.displacement));
  }
  uint64_t bytes = 0;
  for (const LiveBlock& block : heap.blocks) bytes += block.size;
  if (image != nullptr) {
    if (image->live_blocks == heap.blocks.size() && image->live_bytes == bytes) return;
    tell("the program counted " + counted(image->live_blocks, "live block") + " with " +
         counted(image->live_bytes, "byte") + "; found are " +
         counted(heap.blocks.size(), "block") + " with " + counted(bytes, "byte"));
  }
  if (scanned.damaged != 0) {
    tell(counted(scanned.damaged, "header") + " left out: wrong check value, so overwritten or " +
         "caught half written");
  }
  // A few are nothing; many may be memory that was put together from several places.
  if (found.others > found.headers) {
    tell(counted(found.others, "header") + " left out: not where they say they are");
  }
  if (chosen.dead != 0) {
    tell(counted(chosen.dead, "header") + " left out: left behind where younger blocks are now");
  }
}

}  // namespace

std::optional<FoundHeaders> find_block_headers(const Memory& memory) {
  ScannedHeaders scanned = scan_for_headers(memory);
  FoundHeaders found = describe(scanned, memory);
  if (found.headers == 0 && scanned.images.empty()) return std::nullopt;
  return found;
}

std::optional<LiveHeap> read_block_headers(const Memory& memory, FoundHeaders* found_out) {
  ScannedHeaders scanned = scan_for_headers(memory);
  FoundHeaders found = describe(scanned, memory);
  if (found.headers == 0 && scanned.images.empty()) return std::nullopt;
  const ProgramImage* image = image_of(scanned, found);
  ChosenHeaders chosen = choose_headers(std::move(scanned.headers), found);

  LiveHeap heap;
  Clock clock(image);
  heap.source = "headers of blocks";
  heap.shape = found.shape;
  heap.has_times = clock.is_known();
  heap.has_stacks = false;
  heap.pid = memory.pid();
  heap.executable = memory.executable();
  heap.command = memory.command();
  heap.modules.insert(heap.modules.end(), memory.modules().begin(), memory.modules().end());
  if (image != nullptr) heap.now_ns = clock.nanoseconds(image->now_ticks);
  heap.blocks.reserve(chosen.live.size());
  HeapBuilder builder(memory, heap, clock);
  for (const BlockHeader& header : chosen.live) builder.add(header);
  tell_problems(scanned, chosen, found, image, heap);
  place_sites(heap);
  if (found_out != nullptr) *found_out = std::move(found);
  return heap;
}

}  // namespace heapledger::cores
