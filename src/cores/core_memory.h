// The memory of a process in an ELF core dump, as open_core() gives it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/byte_source.h"
#include "cores/byte_windows.h"
#include "cores/core_segments.h"
#include "cores/elf_notes.h"
#include "cores/loaded_modules.h"
#include "cores/memory.h"

namespace heapledger::cores {

// A part of a file that the core left out, because the file has it.
struct Backing {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  std::shared_ptr<ByteWindows> file;
};

class CoreMemory final : public Memory {
 public:
  // As open_core_source().
  CoreMemory(std::unique_ptr<ByteSource> source, std::string executable, std::string sysroot);

  size_t read(uint64_t address, std::span<unsigned char> out) const override;
  uint64_t next_data(uint64_t address) const override;

  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return notes_.threads; }
  Shape shape() const override { return shape_; }
  uint32_t pid() const override { return notes_.pid; }
  std::string executable() const override { return executable_; }
  std::vector<std::string> command() const override { return command_; }
  std::vector<std::string> problems() const override { return problems_; }
  bool is_cut() const override { return segments_.missing_bytes > 0; }

 private:
  void name_regions();
  void name_stacks();
  void find_all_modules();
  void back_up(const LoadedModule& loaded);
  size_t first_region(const Module& module) const;
  bool leaves_out(const Module& module) const;
  bool is_program(const Module& module) const;
  std::vector<std::string> places_of(const Module& module) const;
  void name_program();
  void tell_problems();

  const Backing* backing_at(uint64_t address) const;
  size_t read_piece(uint64_t address, std::span<unsigned char> out) const;

  mutable ByteWindows file_;
  std::string chosen_executable_;
  std::string sysroot_;
  Shape shape_;
  CoreSegments segments_;
  CoreNotes notes_;
  std::vector<Region> regions_;
  std::vector<Module> modules_;
  std::vector<Backing> backings_;  // by address
  std::vector<std::string> unproved_;
  std::string executable_;
  std::vector<std::string> command_;
  std::vector<std::string> problems_;
};

}  // namespace heapledger::cores
