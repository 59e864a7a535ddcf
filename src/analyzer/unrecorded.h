// The programs that a recorded process has started, or become, and that could not be recorded: out
// of the table in its ledger's header (format/unrecorded.h), or of several ledgers together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/unrecorded.h"

namespace heapledger {

struct UnrecordedProgram {
  std::string name;  // of its file
  uint32_t pid = 0;
  uint32_t error = 0;  // errno behind it, or 0
};

// All that have one reason.
struct UnrecordedGroup {
  format::Unrecorded reason = format::Unrecorded::kNone;
  uint64_t count = 0;
  std::vector<UnrecordedProgram> programs;  // a ledger names some tens at the most
};

// The groups of a table, in the order of reasons. The table may be damaged.
std::vector<UnrecordedGroup> read_unrecorded(const format::UnrecordedTable& table);

// Adds `more` to `groups`.
void add_unrecorded(std::vector<UnrecordedGroup>& groups, const std::vector<UnrecordedGroup>& more);

uint64_t count_unrecorded(const std::vector<UnrecordedGroup>& groups);

// For machines: "AddressSanitizer", "static".
const char* unrecorded_word(format::Unrecorded reason);
// For people, after a number: "with AddressSanitizer", "static".
const char* unrecorded_phrase(format::Unrecorded reason);

}  // namespace heapledger
