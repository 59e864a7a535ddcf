#include "cores/glibc_heap_arenas.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace heapledger::cores {
namespace {

constexpr size_t kMostArenas = 65536;

// What can be between the start of a malloc_state and its bins: a lock and flags, since 2.27
// whether there are small free chunks, the lists of those, top and the last remainder.
std::vector<uint64_t> possible_bins_offsets(unsigned word) {
  if (word == 8) return {112, 104, 24, 32};
  return {64, 60, 56, 16, 20};
}

// Chunks of 32-bit programs are aligned to what a long double needs.
unsigned alignment_of(const Shape& shape) {
  if (shape.word_bytes == 8) return 16;
  constexpr uint32_t kWide[] = {0, 3, 20, 62, 243};  // unknown, i386, PowerPC, x32, RISC-V
  return std::find(std::begin(kWide), std::end(kWide), shape.machine) != std::end(kWide) ? 16 : 8;
}

class ArenaFinder {
 public:
  ArenaFinder(GlibcWords& words, GlibcProblems& problems) : words_(words), problems_(problems) {}

  std::optional<GlibcArenas> find();

 private:
  struct Candidate {
    GlibcArenas arenas;
    bool whole = false;  // the ring is closed
    unsigned sound_bins = 0;
    uint64_t system_bytes = 0;

    bool is_better_than(const Candidate& other) const {
      return std::tuple(whole, sound_bins, system_bytes) >
             std::tuple(other.whole, other.sound_bins, other.system_bytes);
    }
  };

  void scan(const Region& region);
  void scan_bytes(uint64_t start, std::span<const unsigned char> bytes);
  uint64_t value(const unsigned char* bytes) const;
  void consider(uint64_t empty_bin);
  bool is_state(uint64_t arena, const GlibcLayout& layout);
  unsigned sound_bins(uint64_t arena, const GlibcLayout& layout);
  bool follow_ring(uint64_t arena, const GlibcLayout& layout, std::vector<uint64_t>& ring);
  void put_main_first(GlibcArenas& arenas);

  GlibcWords& words_;
  GlibcProblems& problems_;
  uint64_t skip_to_ = 0;
  uint64_t ring_steps_left_ = 20'000'000;
  std::optional<Candidate> best_;
};

// 0: libc's own variables; 1: those of any program or library; 2: all else.
int rank_of(const Region& region, const std::vector<Module>& modules) {
  std::string path = region.path;
  for (const Module& module : modules) {
    if (path.empty() && region.start >= module.start && region.start <= module.end) {
      path = module.path;
    }
  }
  std::string name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("libc.") || name.starts_with("libc-")) return 0;
  return path.empty() || path[0] == '[' ? 2 : 1;
}

std::optional<GlibcArenas> ArenaFinder::find() {
  const Memory& memory = words_.memory();
  for (int rank = 0; rank < 3; ++rank) {
    for (const Region& region : memory.regions()) {
      if (!region.writable || rank_of(region, memory.modules()) != rank) continue;
      scan(region);
    }
    if (best_) break;
  }
  if (!best_) return std::nullopt;
  if (!best_->whole) {
    problems_.add(
        fmt::format("the ring of arenas that begins at {:#x} is broken: some may be missing",
                    best_->arenas.addresses[0]));
  }
  put_main_first(best_->arenas);
  return best_->arenas;
}

void ArenaFinder::scan(const Region& region) {
  constexpr size_t kBlock = 256 << 10;
  std::vector<unsigned char> bytes(kBlock + 2 * words_.size());
  skip_to_ = 0;
  uint64_t at = (region.start + words_.size() - 1) / words_.size() * words_.size();
  unsigned holes_left = 65536;  // a hostile dump may promise any amount of nothing
  while (at < region.end && at >= region.start && holes_left > 0) {
    // Zeros are no bins.
    at = std::max(at, words_.memory().next_data(at) / 4096 * 4096);
    if (at >= region.end) break;
    size_t wanted = static_cast<size_t>(std::min<uint64_t>(bytes.size(), region.end - at));
    size_t got = words_.memory().read(at, std::span(bytes).first(wanted));
    scan_bytes(at, std::span(bytes).first(got));
    // Where nothing can be had, the next page may be there again.
    if (got < wanted) --holes_left;
    at = got < wanted ? (at + got) / 4096 * 4096 + 4096 : at + kBlock;
  }
}

uint64_t ArenaFinder::value(const unsigned char* bytes) const {
  if (words_.size() == 4) return Memory::decode<uint32_t>(bytes, words_.big_endian());
  return Memory::decode<uint64_t>(bytes, words_.big_endian());
}

// An empty bin's links both point two words before themselves.
void ArenaFinder::scan_bytes(uint64_t start, std::span<const unsigned char> bytes) {
  size_t word = words_.size();
  for (size_t i = 0; i + 2 * word <= bytes.size(); i += word) {
    uint64_t address = start + i;
    if (value(bytes.data() + i) != address - 2 * word) continue;
    if (value(bytes.data() + i + word) != address - 2 * word || address < skip_to_) continue;
    consider(address);
    // All that it could belong to has been looked at.
    skip_to_ = address + uint64_t{2} * GlibcLayout::kBins * word;
  }
}

// The links at `empty_bin` may be those of any bin, in any version.
void ArenaFinder::consider(uint64_t empty_bin) {
  GlibcLayout layout;
  layout.word = words_.size();
  layout.alignment = alignment_of(words_.memory().shape());
  for (unsigned index = 0; index < GlibcLayout::kBins; ++index) {
    for (uint64_t offset : possible_bins_offsets(layout.word)) {
      layout.bins_offset = offset;
      uint64_t before = uint64_t{2} * layout.word * index + offset;
      if (before > empty_bin) continue;
      uint64_t arena = empty_bin - before;
      if (!is_state(arena, layout)) continue;
      unsigned sound = sound_bins(arena, layout);
      if (sound < GlibcLayout::kBins / 2) continue;
      Candidate found;
      found.arenas.layout = layout;
      found.whole = follow_ring(arena, layout, found.arenas.addresses);
      // Without the ring, only the bins tell where it begins.
      if (!found.whole && sound < GlibcLayout::kBins - 7) continue;
      for (uint64_t one : found.arenas.addresses) {
        found.system_bytes += words_.word(one + layout.system_offset()).value_or(0);
      }
      found.sound_bins = found.whole ? 0 : sound;
      if (!best_ || found.is_better_than(*best_)) best_ = std::move(found);
    }
  }
}

bool ArenaFinder::is_state(uint64_t arena, const GlibcLayout& layout) {
  std::optional<uint32_t> lock = words_.number32(arena);
  std::optional<uint32_t> flags = words_.number32(arena + 4);
  std::optional<uint64_t> system = words_.word(arena + layout.system_offset());
  std::optional<uint64_t> most = words_.word(arena + layout.most_system_offset());
  if (!lock || !flags || !system || !most) return false;
  return *lock <= 2 && *flags <= 15 && *system <= *most;
}

unsigned ArenaFinder::sound_bins(uint64_t arena, const GlibcLayout& layout) {
  unsigned sound = 0;
  for (unsigned index = 1; index <= GlibcLayout::kBins; ++index) {
    uint64_t bin = layout.bin(arena, index);
    std::optional<uint64_t> first = words_.word(bin + 2 * layout.word);
    std::optional<uint64_t> last = words_.word(bin + 3 * layout.word);
    if (!first || !last) continue;
    if (words_.word(*first + 3 * layout.word) == bin &&
        words_.word(*last + 2 * layout.word) == bin) {
      ++sound;
    }
  }
  return sound;
}

bool ArenaFinder::follow_ring(uint64_t arena, const GlibcLayout& layout,
                              std::vector<uint64_t>& ring) {
  std::unordered_set<uint64_t> seen;
  uint64_t at = arena;
  while (seen.insert(at).second) {
    ring.push_back(at);
    std::optional<uint64_t> next = words_.word(at + layout.next_offset());
    if (!next || ring_steps_left_ == 0 || ring.size() > kMostArenas) return false;
    --ring_steps_left_;
    if (*next == arena) return true;
    if (*next % layout.word != 0 || !is_state(*next, layout)) return false;
    at = *next;
  }
  return false;  // it closes, but elsewhere
}

// All but the main arena begin behind the header of their first heap, which points back at them.
void ArenaFinder::put_main_first(GlibcArenas& arenas) {
  std::vector<uint64_t>& all = arenas.addresses;
  auto is_main = [&](uint64_t arena) {
    uint64_t heap = arena & ~uint64_t{0xfff};
    return arena - heap > 16 * words_.size() || words_.word(heap) != arena;
  };
  auto main = std::find_if(all.begin(), all.end(), is_main);
  if (main != all.end()) std::rotate(all.begin(), main, all.end());
}

}  // namespace

std::optional<GlibcArenas> find_glibc_arenas(GlibcWords& words, GlibcProblems& problems) {
  return ArenaFinder(words, problems).find();
}

}  // namespace heapledger::cores
