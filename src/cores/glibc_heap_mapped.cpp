#include "cores/glibc_heap_mapped.h"

#include <algorithm>

namespace heapledger::cores {
namespace {

constexpr uint64_t kMappedPage = 4096;
constexpr uint64_t kMappedMark = 2;

// The account is a few words that fit together: four numbers (chunks, how many there may be, how
// many there were at most, a switch), bytes now and at most, and where the break began. Since 2.35
// one more number stands before them, and on 64 bit a gap behind.
bool reads_as_account(GlibcWords& words, uint64_t break_word, uint64_t gap,
                      std::optional<uint64_t> break_start, GlibcAccount& account) {
  unsigned word = words.size();
  uint64_t numbers = break_word - 2 * word - gap - 16;
  std::optional<uint64_t> start = words.word(break_word);
  std::optional<uint64_t> bytes = words.word(break_word - 2 * word);
  std::optional<uint64_t> most_bytes = words.word(break_word - word);
  std::optional<uint32_t> chunks = words.number32(numbers);
  std::optional<uint32_t> limit = words.number32(numbers + 4);
  std::optional<uint32_t> most = words.number32(numbers + 8);
  std::optional<uint32_t> fixed = words.number32(numbers + 12);
  if (!start || !bytes || !most_bytes || !chunks || !limit || !most || !fixed) return false;
  if (break_start ? *start != *break_start : *limit != 65536 || !words.word(*start)) return false;
  if (*bytes > *most_bytes || *bytes % kMappedPage != 0 || *most_bytes % kMappedPage != 0) {
    return false;
  }
  if (*chunks > *most || *fixed > 1 || (*chunks == 0) != (*bytes == 0)) return false;
  if (*chunks > *bytes / kMappedPage) return false;
  account = {*chunks, *bytes, *start};
  return true;
}

class MappedFinder {
 public:
  MappedFinder(GlibcWords& words, const GlibcLayout& layout) : words_(words), layout_(layout) {}

  void scan(uint64_t start, uint64_t end, std::vector<GlibcMapped>& found);

 private:
  std::optional<GlibcMapped> at_page(uint64_t page, uint64_t end);
  std::optional<GlibcMapped> with_offset(uint64_t page, uint64_t offset, uint64_t end);

  GlibcWords& words_;
  const GlibcLayout& layout_;
};

// A chunk whose header is `offset` behind the start of its mapping says so itself. Its size is that
// of the rest of the mapping; since 2.43, of all but the last two words.
std::optional<GlibcMapped> MappedFinder::with_offset(uint64_t page, uint64_t offset, uint64_t end) {
  unsigned word = layout_.word;
  std::optional<uint64_t> before = words_.word(page + offset);
  std::optional<uint64_t> header = words_.word(page + offset + word);
  if (!before || !header || (*header & 7) != kMappedMark) return std::nullopt;
  uint64_t size = *header & ~uint64_t{7};
  // The lowest bit tells of huge pages, since 2.43.
  if ((*before & ~uint64_t{1}) != offset || size < 2 * layout_.least_chunk()) return std::nullopt;
  if (size > end - page) return std::nullopt;
  bool newer = (size + offset) % kMappedPage != 0;
  uint64_t whole = size + offset + (newer ? 2 * word : 0);
  if (whole % kMappedPage != 0 || whole > end - page) return std::nullopt;
  return GlibcMapped{page + offset + 2 * word, newer ? size - word : size - 2 * word, whole};
}

// A block that had to be aligned lies further inside, and the header that the mapping had at first
// is still at its start.
std::optional<GlibcMapped> MappedFinder::at_page(uint64_t page, uint64_t end) {
  uint64_t header = 2 * layout_.word;
  std::optional<GlibcMapped> plain = with_offset(page, layout_.first_chunk(page) - page, end);
  if (!plain) return std::nullopt;
  uint64_t most = std::min<uint64_t>(end - page, uint64_t{1} << 40);
  for (uint64_t alignment = 2 * layout_.alignment; alignment <= most; alignment *= 2) {
    uint64_t block = (plain->block + alignment - 1) / alignment * alignment;
    for (uint64_t one : {block, block + alignment}) {
      if (one <= plain->block || one >= end) continue;
      std::optional<GlibcMapped> inner = with_offset(page, one - header - page, end);
      if (inner) return inner;
    }
  }
  return plain;
}

void MappedFinder::scan(uint64_t start, uint64_t end, std::vector<GlibcMapped>& found) {
  unsigned holes_left = 65536;  // a hostile dump may promise any amount of nothing
  uint64_t page = (start + kMappedPage - 1) / kMappedPage * kMappedPage;
  while (page >= start && page < end && holes_left > 0) {
    std::optional<GlibcMapped> chunk = at_page(page, end);
    if (chunk) {
      found.push_back(*chunk);
      page += chunk->bytes;
      continue;
    }
    if (!words_.word(page)) --holes_left;
    page += kMappedPage;
    page = std::max(page, words_.memory().next_data(page) / kMappedPage * kMappedPage);
  }
}

// Anonymous memory, however it is named: what follows a thread's stack may be in one region with
// it.
bool may_hold_mapped_chunks(const Region& region) {
  if (!region.writable || region.executable) return false;
  return region.path.empty() || region.path[0] == '[';
}

}  // namespace

std::optional<GlibcAccount> find_glibc_account(GlibcWords& words, const GlibcLayout& layout,
                                               uint64_t main_arena, uint64_t break_start) {
  constexpr uint64_t kAround = 64 << 10;
  uint64_t from = main_arena > kAround ? main_arena - kAround : layout.word;
  GlibcAccount account;
  auto look = [&](uint64_t at, std::optional<uint64_t> known) {
    return reads_as_account(words, at, 0, known, account) ||
           (layout.word == 8 && reads_as_account(words, at, 4, known, account));
  };
  for (bool exact : {true, false}) {
    if (exact && break_start == 0) continue;
    std::optional<uint64_t> known;
    if (exact) known = break_start;
    for (uint64_t at = from; at < main_arena + kAround; at += layout.word) {
      std::optional<uint64_t> word = words.word(at);
      if (word && *word != 0 && (!exact || *word == break_start) && look(at, known)) return account;
    }
  }
  return std::nullopt;
}

std::vector<GlibcMapped> find_mapped_chunks(GlibcWords& words, const GlibcLayout& layout,
                                            const std::vector<GlibcArena>& arenas) {
  std::vector<GlibcPart> parts;
  for (const GlibcArena& arena : arenas) {
    parts.insert(parts.end(), arena.parts.begin(), arena.parts.end());
  }
  std::sort(parts.begin(), parts.end(),
            [](const GlibcPart& a, const GlibcPart& b) { return a.start < b.start; });
  std::vector<GlibcMapped> found;
  MappedFinder finder(words, layout);
  auto part = parts.begin();
  for (const Region& region : words.memory().regions()) {
    if (!may_hold_mapped_chunks(region)) continue;
    uint64_t at = region.start;
    // Around what belongs to arenas.
    while (part != parts.end() && part->end <= at) ++part;
    for (; part != parts.end() && part->start < region.end; ++part) {
      if (part->start > at) finder.scan(at, part->start, found);
      at = std::max(at, part->end);
    }
    if (at < region.end) finder.scan(at, region.end, found);
    // A part may reach into the next region.
    if (part != parts.begin() && std::prev(part)->end > region.end) --part;
  }
  return found;
}

}  // namespace heapledger::cores
