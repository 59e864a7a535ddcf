// Recordings of other tools, made ledgers that every command reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/byte_source.h"

namespace heapledger {

struct Imported {
  std::string what;     // for people: "heaptrack 1.4.0"
  std::string symbols;  // as SymbolTable::encode() gives them; empty: the recording has no names
  uint64_t calls = 0;   // allocations
  uint64_t frees = 0;
  uint64_t unmatched = 0;  // frees of blocks that the recording did not see allocated
  bool cut_short = false;  // the file ends in the middle
  std::string amount;      // for people, instead of calls and frees where these mean nothing
  std::vector<std::string> notes;  // for people: what the ledger does not have
};

using ImportProgress = std::function<void(uint64_t done, uint64_t total)>;

// Writes what the recording at `path` holds to `raw_ledger`, an empty file that is there already,
// as a raw ledger. Throws Error when it is nothing that can be read, with the line where it makes
// no sense.
Imported import_recording(const std::string& path, const std::string& raw_ledger,
                          const ImportProgress& progress);

// The same of bytes from anywhere; `ended_ns` is when the process ended on the clock on the wall.
Imported import_source(std::unique_ptr<ByteSource> source, uint64_t ended_ns,
                       const std::string& raw_ledger, const ImportProgress& progress);

}  // namespace heapledger
