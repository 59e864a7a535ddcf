#include "elf/symbols.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace heapledger::elf {
namespace {

// Larger tables than any program needs; a debug build beyond them goes unchecked rather than slow.
constexpr uint64_t kMostSectionBytes = 8u << 20;
constexpr uint64_t kMostNamesBytes = 128u << 20;
constexpr uint64_t kMostSymbols = 8u << 20;
constexpr uint64_t kSymbolsAtOnce = 16384;

struct Mark {
  std::string_view symbol;
  const char* allocator;
  bool prefixed;  // a name that programs call in place of malloc
};

// Symbols by which an allocator inside an executable is told, the surest first.
constexpr Mark kMarks[] = {
    {"__asan_init", "AddressSanitizer", false},
    {"__hwasan_init", "HWAddressSanitizer", false},
    {"__tsan_init", "ThreadSanitizer", false},
    {"__msan_init", "MemorySanitizer", false},
    {"__lsan_init", "LeakSanitizer", false},
    {"mallctl", "jemalloc", false},
    {"je_malloc", "jemalloc", true},
    {"_rjem_malloc", "jemalloc", true},
    {"tc_malloc", "tcmalloc", false},
    {"TCMallocInternalMalloc", "tcmalloc", false},
    {"mi_malloc", "mimalloc", true},
    {"rpmalloc", "rpmalloc", true},
    {"sn_malloc", "snmalloc", true},
};

struct Seen {
  bool malloc = false;
  const Mark* mark = nullptr;
  bool prefixed = false;

  void look_at(std::string_view name) {
    if (name == "malloc") malloc = true;
    for (const Mark& candidate : kMarks) {
      if (name != candidate.symbol) continue;
      if (mark == nullptr || &candidate < mark) mark = &candidate;
      prefixed = prefixed || candidate.prefixed;
    }
  }
};

bool defines_function(const ElfW(Sym) & symbol) {
  const auto type = symbol.st_info & 0xf;
  return symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

std::string_view name_at(const std::vector<char>& names, uint64_t offset) {
  if (offset >= names.size()) return {};
  const char* start = names.data() + offset;
  return {start, strnlen(start, names.size() - static_cast<size_t>(offset))};
}

Seen look_through(const ElfBytes& file, const ElfW(Shdr) & table, const ElfW(Shdr) & strings) {
  Seen seen;
  const uint64_t count = table.sh_size / sizeof(ElfW(Sym));
  if (count > kMostSymbols) return seen;
  const auto names = file.table<char>(strings.sh_offset, strings.sh_size, kMostNamesBytes);
  if (!names) return seen;
  for (uint64_t first = 0; first < count; first += kSymbolsAtOnce) {
    const uint64_t some = std::min(kSymbolsAtOnce, count - first);
    const auto symbols = file.table<ElfW(Sym)>(table.sh_offset + first * sizeof(ElfW(Sym)), some,
                                               kSymbolsAtOnce * sizeof(ElfW(Sym)));
    if (!symbols) return seen;
    for (const ElfW(Sym) & symbol : *symbols) {
      if (defines_function(symbol)) seen.look_at(name_at(*names, symbol.st_name));
    }
  }
  return seen;
}

void add(ElfImage& image, const Seen& seen) {
  if (seen.mark != nullptr && image.allocator.empty()) image.allocator = seen.mark->allocator;
  image.prefixed_allocator = image.prefixed_allocator || seen.prefixed;
}

}  // namespace

void find_allocators(const ElfBytes& file, ElfImage& image) {
  ElfW(Ehdr) header;
  if (!file.read(0, &header, sizeof header) || header.e_shentsize != sizeof(ElfW(Shdr))) return;
  uint64_t count = header.e_shnum;
  if (count == 0 && header.e_shoff != 0) {  // too many for 16 bits: the first section says
    ElfW(Shdr) first;
    if (!file.read(header.e_shoff, &first, sizeof first)) return;
    count = first.sh_size;
  }
  const auto sections = file.table<ElfW(Shdr)>(header.e_shoff, count, kMostSectionBytes);
  if (!sections) return;
  // A whole program has one table of each kind; a hostile one must not make us read for ever.
  bool dynamic_done = false;
  bool full_done = false;
  for (const ElfW(Shdr) & section : *sections) {
    const bool dynamic = section.sh_type == SHT_DYNSYM;
    bool& done = dynamic ? dynamic_done : full_done;
    if ((!dynamic && section.sh_type != SHT_SYMTAB) || done) continue;
    if (section.sh_link >= sections->size()) continue;
    done = true;
    const Seen seen = look_through(file, section, (*sections)[section.sh_link]);
    (dynamic ? image.exports_malloc : image.hides_malloc) = seen.malloc;
    add(image, seen);
  }
  if (image.exports_malloc) image.hides_malloc = false;
}

}  // namespace heapledger::elf
