// What an ELF image and its file say against being recorded. The image alone decides, so that this
// is tested with made-up images; only whether the loader is there is looked up.
#pragma once

#include <string>
#include <vector>

#include "cli/program_check/program_check.h"
#include "elf/image.h"

namespace heapledger::cli::program_check {

// `name` is how the user knows the program; `own` is the tool's own image, which the program has to
// resemble for the runtime to be loaded into it.
std::vector<ProgramFinding> binary_findings(const std::string& name, const elf::ElfImage& image,
                                            const elf::ElfImage& own);

}  // namespace heapledger::cli::program_check
