// Names from symbol tables: for each wanted address the symbol that it is in. Only what a symbol
// says is believed: an address behind the end of the last known function has no name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "symbols/debug_files.h"
#include "symbols/elf_file.h"
#include "symbols/text_pool.h"

namespace heapledger {

class SymbolNames {
 public:
  // From .symtab of the debug file and of the image, .gnu_debugdata and .dynsym.
  SymbolNames(const DebugFiles& files, std::span<const uint64_t> sorted_addresses);

  // Whether there was any table at all.
  bool any() const { return any_; }
  // The mangled name for the address of that index; empty: none.
  std::string_view operator[](size_t index) const { return names_[number_[index]]; }

 private:
  struct Claim;
  void read(const ElfFile& file, std::span<const uint64_t> addresses, std::vector<Claim>& claims);

  bool any_ = false;
  TextPool names_;
  std::vector<uint32_t> number_;
};

}  // namespace heapledger
