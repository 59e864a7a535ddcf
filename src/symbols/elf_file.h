// One open ELF file: libelf's handle, its build id, its links to other files and its sections. An
// ElfFile that could not be opened, or is no ELF file, is empty; nothing here throws because of
// what a file holds.
#pragma once

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heapledger {

struct AddressRange {
  uint64_t start;
  uint64_t end;
};

class ElfFile {
 public:
  ElfFile() = default;
  explicit ElfFile(const std::string& path);
  // A file in memory, e.g. unpacked from another one.
  explicit ElfFile(std::string bytes, std::string path);
  ~ElfFile();
  ElfFile(ElfFile&& other) noexcept;

  explicit operator bool() const { return elf_ != nullptr; }
  Elf* elf() const { return elf_; }
  const std::string& path() const { return path_; }

  // Whether its byte order is this machine's. Debug information of others is not read, symbols are.
  bool is_native() const;
  std::string build_id() const;
  // The name and checksum in .gnu_debuglink; the name is empty without one.
  std::pair<std::string, uint32_t> debug_link() const;
  // The section of that name as it is stored; empty without one.
  std::string_view section(std::string_view name) const;
  bool has_section(std::string_view name) const;
  // Whether debug information has to be unpacked, all of it, before anything can be read.
  bool is_packed() const;
  // Where code is, sorted: debug information speaks of functions that the linker has dropped, and
  // puts them elsewhere.
  std::vector<AddressRange> code() const;

 private:
  Elf_Scn* find(std::string_view name) const;

  std::string path_;
  std::vector<char> bytes_;
  int file_ = -1;
  Elf* elf_ = nullptr;
};

}  // namespace heapledger
