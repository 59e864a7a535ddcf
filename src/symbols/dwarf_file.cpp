#include "symbols/dwarf_file.h"

namespace heapledger {

DwarfFile::DwarfFile(const std::string& debug, const std::string& common)
    : file_(debug), common_file_(common) {
  renew();
}

DwarfFile::~DwarfFile() {
  close();
}

void DwarfFile::renew() {
  close();
  if (!file_.is_native()) return;
  dwarf_ = dwarf_begin_elf(file_.elf(), DWARF_C_READ, nullptr);
  if (dwarf_ == nullptr) return;
  if (common_file_) common_ = dwarf_begin_elf(common_file_.elf(), DWARF_C_READ, nullptr);
  if (common_ != nullptr) dwarf_setalt(dwarf_, common_);
  sections_ = sections_of(dwarf_);
}

void DwarfFile::close() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
  if (common_ != nullptr) dwarf_end(common_);
  dwarf_ = nullptr;
  common_ = nullptr;
}

}  // namespace heapledger
