// What the header of an ELF file says about how it will be loaded: for which machine, by which
// loader, and whether it brings an allocator of its own. The file may be damaged or hostile: the
// reading is bounded in time and memory and never fails harder than `damaged`. Only files of the
// tool's own word size and byte order are read beyond the first header; others cannot be recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "elf/bytes.h"

namespace heapledger::elf {

struct ElfImage {
  bool damaged = false;  // its headers contradict the file or each other
  bool native = false;   // the tool's own word size and byte order: what follows `machine` is known
  bool wide = false;     // 64 bits
  uint16_t machine = 0;  // e_machine
  uint16_t type = 0;     // e_type

  std::optional<std::string> loader;  // PT_INTERP
  std::string soname;
  std::vector<std::string> needed;
  std::string rpath;  // DT_RPATH and DT_RUNPATH: where it wants its libraries looked for
  std::string runpath;

  bool holds_recorder = false;  // libheapledger_static.a is linked into it

  bool exports_malloc = false;      // in its dynamic symbol table: every module will call this one
  bool hides_malloc = false;        // only in its full symbol table: it alone calls this one
  std::string allocator;            // whose symbols were seen in it, e.g. "jemalloc"; may be empty
  bool prefixed_allocator = false;  // that allocator goes by names of its own, such as mi_malloc
};

// Nothing when the file is not ELF.
std::optional<ElfImage> read_elf_image(const ElfBytes& file);

}  // namespace heapledger::elf
