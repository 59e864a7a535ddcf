// What the kernel put on the first stack of a program: its arguments. A core's notes have only the
// first 79 characters of them, with nothing between that tells one from the next.
#pragma once

#include <string>
#include <vector>

#include "cores/elf_notes.h"
#include "cores/memory.h"

namespace heapledger::cores {

// Empty: not found.
std::vector<std::string> find_arguments(const Memory& memory, const CoreNotes& notes);

// A text in memory, at most `most` characters of it.
std::string text_at(const Memory& memory, uint64_t address, size_t most);

}  // namespace heapledger::cores
