// What sealing a file and changing a sealed one have in common.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "analyzer/seal/replacement_file.h"

namespace heapledger::seal {

// Throws Error when there is none.
struct stat file_status(const std::string& path);

// A link stays a link: what it leads to is replaced.
std::string real_path(const std::string& path);

// Flushes what was written, looks whether it is a sealed ledger of so many bytes, which is the
// least that must hold before another is given up for it, and puts it in its place.
void put_in_place(ReplacementFile& file, uint64_t bytes, const std::string& target, bool replace);

}  // namespace heapledger::seal
