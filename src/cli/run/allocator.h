// `run --allocator`: another allocator for the program, by the link chain. A name becomes the path
// of its library, which goes behind the recorder in LD_PRELOAD. Throws what a user can mend: a
// library that is not installed, with the package that has it.
#pragma once

#include <string>
#include <vector>

namespace heapledger::cli::run {

// An allocator that is known by its name.
struct KnownAllocator {
  std::string name;
  std::string path;     // empty: it is not installed …
  std::string package;  // … and this is the one of Debian and Ubuntu that has it
};
std::vector<KnownAllocator> known_allocators();

// The library for jemalloc, tcmalloc, mimalloc, or a path.
std::string find_allocator(const std::string& wanted);

// Takes allocator=… out of the words that `run` was given; empty when there is none.
std::string take_allocator(std::vector<std::string>& words);

// Whether the program at `path` is linked with an allocator that also brings operator new, whose
// calls would go past the recorder.
bool brings_operator_new(const std::string& path);

}  // namespace heapledger::cli::run
