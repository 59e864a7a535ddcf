// The raw sections of a Dwarf handle, for the parts that are read without libdw because there are
// millions of them: the entries of .debug_info and the rows of .debug_line. libdw has unpacked them
// when it opened the file.
#pragma once

#include <elfutils/libdw.h>

#include <string_view>

namespace heapledger {

struct DwarfSections {
  std::string_view info;
  std::string_view abbrev;
  std::string_view line;
  std::string_view line_str;
  std::string_view str;
  std::string_view addr;
};

DwarfSections sections_of(Dwarf* dwarf);

}  // namespace heapledger
