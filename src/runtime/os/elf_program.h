// Whether an ELF file, executed, would load our library: the facts of its headers. The command line
// tool decides the same before it runs a program (cli/program_check/binary.cpp); the two agree.
#pragma once

#include "runtime/os/file_bytes.h"
#include "runtime/os/program_file.h"

namespace heapledger::runtime::os {

// The file begins with ELF's magic. Damaged files, and those that are no programs, are none of our
// business: exec will say so.
ProgramFacts look_at_elf(FileBytes& file);

}  // namespace heapledger::runtime::os
