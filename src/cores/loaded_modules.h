// Programs and libraries in the memory of a process: found by the ELF headers at the beginning of
// what is mapped of a file, and the files they came from, if those are here and prove to be the
// same.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cores/byte_windows.h"
#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {

struct LoadedModule {
  Module module;
  // Its file, when it has what was loaded: not so for a file that has only debug information.
  std::shared_ptr<ByteWindows> contents;
  bool in_memory = true;  // its header could be read; else all is as the file of that name says
};

// Where to look for the file of a module, the best place first.
using FilePlaces = std::function<std::vector<std::string>(const Module& module)>;

// `regions` with their paths, by address.
std::vector<LoadedModule> find_modules(const std::vector<Region>& regions,
                                       const elf::ReadAt& memory, const FilePlaces& places);

// "1a2b…", for messages.
std::string hex_of(const std::string& bytes);

}  // namespace heapledger::cores
