// A file with debug information, open in libdw, together with the file that dwz moved common parts
// to. libdw keeps what it has read for as long as a handle lives, so handles are renewed now and
// then; each is for one thread alone.
#pragma once

#include <elfutils/libdw.h>

#include <string>

#include "symbols/dwarf_sections.h"
#include "symbols/elf_file.h"

namespace heapledger {

class DwarfFile {
 public:
  DwarfFile(const std::string& debug, const std::string& common);
  ~DwarfFile();
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;

  explicit operator bool() const { return dwarf_ != nullptr; }
  Dwarf* dwarf() const { return dwarf_; }
  const DwarfSections& sections() const { return sections_; }
  const ElfFile& file() const { return file_; }

  // Forgets all that was read. Texts and entries of before are no longer good.
  void renew();

 private:
  void close();

  ElfFile file_;
  ElfFile common_file_;
  Dwarf* dwarf_ = nullptr;
  Dwarf* common_ = nullptr;
  DwarfSections sections_;
};

}  // namespace heapledger
