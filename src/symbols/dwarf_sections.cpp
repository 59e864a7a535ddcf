#include "symbols/dwarf_sections.h"

#include <gelf.h>
#include <libelf.h>

namespace heapledger {
namespace {

// ".zdebug_info" and ".debug_info.dwo" are ".debug_info" too.
std::string_view plain(std::string_view name) {
  if (name.ends_with(".dwo")) name.remove_suffix(4);
  if (name.starts_with(".zdebug_")) return name.substr(8);
  if (name.starts_with(".debug_")) return name.substr(7);
  return {};
}

}  // namespace

DwarfSections sections_of(Dwarf* dwarf) {
  DwarfSections sections;
  Elf* const elf = dwarf_getelf(dwarf);
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return sections;
  for (Elf_Scn* at = elf_nextscn(elf, nullptr); at != nullptr; at = elf_nextscn(elf, at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    if ((header.sh_flags & SHF_COMPRESSED) != 0) continue;  // libdw could not unpack it
    const char* const name = elf_strptr(elf, names, header.sh_name);
    const std::string_view kind = name != nullptr ? plain(name) : std::string_view();
    std::string_view* const place = kind == "info"       ? &sections.info
                                    : kind == "abbrev"   ? &sections.abbrev
                                    : kind == "line"     ? &sections.line
                                    : kind == "line_str" ? &sections.line_str
                                    : kind == "str"      ? &sections.str
                                    : kind == "addr"     ? &sections.addr
                                                         : nullptr;
    if (place == nullptr || !place->empty()) continue;
    const Elf_Data* const data = elf_rawdata(at, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    *place = {static_cast<const char*>(data->d_buf), data->d_size};
  }
  return sections;
}

}  // namespace heapledger
