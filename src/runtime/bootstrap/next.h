// What comes after each of our hooks in the loader's order: looked up at the first use or, where
// looking up allocates, at the start.
#pragma once

#include <atomic>

namespace heapledger::runtime {

// One for each hook, all in one section.
struct Next {
  const char* name;
  std::atomic<void*> function;
};

// The next definition of a function that we hook; null: there is none.
void* next_definition(Next& next);
void* next_definition(const char* name);

// For the start.
void find_next_definitions();

}  // namespace heapledger::runtime
