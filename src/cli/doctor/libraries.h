// The libraries that a program will load at its start, found as the loader would find them, without
// running anything: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the loader's cache, the usual folders.
#pragma once

#include <string>
#include <vector>

#include "elf/image.h"

namespace heapledger::cli::doctor {

struct LoadedModule {
  std::string name;  // as it is needed; of the program, its path
  std::string path;  // empty: not found
  elf::ElfImage image;
};

// The program first, then its libraries in the order in which they are met. At most kMostModules.
inline constexpr size_t kMostModules = 1000;
std::vector<LoadedModule> modules_of(const std::string& program);

// Where the loader's cache has libraries of that name. The cache is as ldconfig writes it; anything
// else gives nothing.
std::vector<std::string> places_in_cache(const std::string& cache, const std::string& name);

}  // namespace heapledger::cli::doctor
