// Which lines of the source the wanted addresses of a unit come from: the unit's line program, run
// once for all addresses together, with nothing kept but what was asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/dwarf_sections.h"
#include "symbols/elf_file.h"

namespace heapledger {

struct SourceLine {
  static constexpr uint32_t kNoFile = UINT32_MAX;
  uint32_t file = kNoFile;  // as the unit numbers them
  uint32_t line = 0;
};

class LineProgram {
 public:
  // `offset` is DW_AT_stmt_list, `folder` DW_AT_comp_dir of the unit.
  LineProgram(const DwarfSections& sections, uint64_t offset, std::string_view folder);

  // For each of the sorted addresses its line.
  std::vector<SourceLine> lines(std::span<const uint64_t> addresses,
                                std::span<const AddressRange> code) const;

  // The whole name of a file: joined with its folder and the unit's, without "." and "..". Empty
  // for a number that the unit does not have.
  std::string file(uint64_t number) const;

 private:
  struct File {
    std::string_view name;
    uint64_t folder;
  };
  struct Form {
    uint64_t content;
    uint64_t form;
  };
  friend class LineMachine;

  void read_tables_of_old();
  void read_tables_of_new();
  std::vector<Form> read_forms();
  template <typename Add>
  void read_table(Add add);
  std::string_view read_text(uint64_t form);

  DwarfSections sections_;
  std::string_view folder_;
  bool sound_ = false;
  uint16_t version_ = 0;
  uint8_t offset_size_ = 4;
  uint8_t step_ = 1;  // the shortest instruction
  int8_t line_base_ = 0;
  uint8_t line_range_ = 1;
  uint8_t opcode_base_ = 1;
  std::vector<uint8_t> operands_;  // of the standard opcodes
  std::string_view program_;
  class ByteReader* from_ = nullptr;  // while the tables are read
  std::vector<std::string_view> folders_;
  std::vector<File> files_;
};

}  // namespace heapledger
