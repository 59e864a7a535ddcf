#include "symbols/symbol_names.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "symbols/mini_debug.h"
#include "symbols/unit_functions.h"

namespace heapledger {
namespace {

// Some symbols overlap; a table in which all overlap is hostile, and not read to its end.
constexpr uint64_t kMostSymbolHits = 1000;

// Of several names for one place the one that people know: global before weak before local, then
// the one with fewer underscores in front ("malloc", not "__libc_malloc").
std::tuple<int, size_t, size_t, std::string_view> rank(std::string_view name, unsigned bind) {
  const int order = bind == STB_GLOBAL ? 0 : bind == STB_LOCAL ? 2 : 1;
  const size_t first = name.find_first_not_of('_');
  return {order, first == std::string_view::npos ? name.size() : first, name.size(), name};
}

bool is_label(std::string_view name) {
  return name.empty() || name.starts_with(".L");
}

}  // namespace

// The best symbol for an address so far.
struct SymbolNames::Claim {
  std::string_view name;
  uint64_t start = 0;
  uint64_t size = 0;
  unsigned bind = 0;

  // The innermost wins: the one that starts last.
  bool loses_to(const Claim& other) const {
    if (name.empty()) return true;
    if (start != other.start) return start < other.start;
    return rank(other.name, other.bind) < rank(name, bind);
  }
};

SymbolNames::SymbolNames(const DebugFiles& files, std::span<const uint64_t> sorted_addresses)
    : number_(sorted_addresses.size()) {
  const ElfFile image = files.image.empty() ? ElfFile() : ElfFile(files.image);
  const bool separate = !files.debug.empty() && files.debug != files.image;
  const ElfFile debug = separate ? ElfFile(files.debug) : ElfFile();
  const ElfFile mini = unpack_mini_debug(image);
  std::vector<Claim> claims(sorted_addresses.size());
  if (debug) read(debug, sorted_addresses, claims);
  if (image) read(image, sorted_addresses, claims);
  if (mini) read(mini, sorted_addresses, claims);
  for (size_t i = 0; i < claims.size(); ++i) number_[i] = names_.intern(claims[i].name);
}

void SymbolNames::read(const ElfFile& file, std::span<const uint64_t> addresses,
                       std::vector<Claim>& claims) {
  const std::vector<AddressRange> code = file.code();
  uint64_t budget = kMostSymbolHits * (addresses.size() + 1);
  std::vector<Claim> sizeless;
  std::vector<uint64_t> starts;  // of the others
  for (Elf_Scn* at = elf_nextscn(file.elf(), nullptr); at != nullptr;
       at = elf_nextscn(file.elf(), at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr) continue;
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* const data = elf_getdata(at, nullptr);
    if (data == nullptr || header.sh_entsize == 0) continue;
    const uint64_t count = std::min<uint64_t>(data->d_size / header.sh_entsize, INT32_MAX);
    for (int i = 0; i < static_cast<int>(count); ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr) break;
      const auto type = static_cast<unsigned>(GELF_ST_TYPE(symbol.st_info));
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;
      if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
      any_ = true;
      const uint64_t end = symbol.st_value + symbol.st_size;
      if (symbol.st_size != 0) starts.push_back(symbol.st_value);
      const auto first = std::lower_bound(addresses.begin(), addresses.end(), symbol.st_value);
      if (first == addresses.end() || (symbol.st_size != 0 && *first >= end)) continue;
      if (!holds(code, symbol.st_value)) continue;
      const char* const name = elf_strptr(file.elf(), header.sh_link, symbol.st_name);
      if (name == nullptr || is_label(name)) continue;
      const auto bind = static_cast<unsigned>(GELF_ST_BIND(symbol.st_info));
      const Claim claim{name, symbol.st_value, symbol.st_size, bind};
      if (claim.size == 0) {
        sizeless.push_back(claim);
        continue;
      }
      for (auto next = first; next != addresses.end() && *next < end; ++next) {
        if (budget-- == 0) return;
        Claim& best = claims[static_cast<size_t>(next - addresses.begin())];
        if (best.loses_to(claim)) best = claim;
      }
    }
  }
  // Hand-written code often has no sizes: such a symbol reaches up to the next one, or to the end
  // of its section.
  if (sizeless.empty()) return;
  std::sort(starts.begin(), starts.end());
  std::stable_sort(sizeless.begin(), sizeless.end(), [](const Claim& a, const Claim& b) {
    return a.start != b.start ? a.start < b.start : rank(a.name, a.bind) < rank(b.name, b.bind);
  });
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (!claims[i].name.empty()) continue;
    const auto after = std::upper_bound(
        sizeless.begin(), sizeless.end(), addresses[i],
        [](uint64_t address, const Claim& claim) { return address < claim.start; });
    if (after == sizeless.begin()) continue;
    const auto same =
        std::lower_bound(sizeless.begin(), after, std::prev(after)->start,
                         [](const Claim& claim, uint64_t start) { return claim.start < start; });
    const auto section = std::upper_bound(
        code.begin(), code.end(), addresses[i],
        [](uint64_t address, const AddressRange& range) { return address < range.start; });
    if (section == code.begin()) continue;
    const AddressRange& around = *std::prev(section);
    if (addresses[i] >= around.end || same->start < around.start) continue;
    const auto other = std::upper_bound(starts.begin(), starts.end(), addresses[i]);
    if (other != starts.begin() && *std::prev(other) > same->start) continue;
    claims[i] = *same;
  }
}

}  // namespace heapledger
