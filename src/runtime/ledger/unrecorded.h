// Notes, in the header of the ledger, the programs that could not be recorded. A forked process
// that has no ledger of its own yet has its parent's header, and so has a vfork child: their notes
// go there. No system call and no lock; may be called in a signal handler.
#pragma once

#include <cstdint>

#include "format/unrecorded.h"

namespace heapledger::runtime {

struct UnrecordedProgram {
  format::Unrecorded reason;
  uint32_t pid;
  uint32_t error;    // errno, or 0
  const char* name;  // a path: its last part is kept
};

// What was noted, so that it can be taken back.
struct UnrecordedNote {
  format::UnrecordedTable* table = nullptr;
  format::UnrecordedRecord* record = nullptr;  // null: counted only, all places are taken
  format::Unrecorded reason = format::Unrecorded::kNone;
};

// `header` is that of a ledger, mapped; null: nothing is noted.
UnrecordedNote note_unrecorded(format::FileHeader* header, const UnrecordedProgram& program);

// The program could not be started after all.
void take_back(const UnrecordedNote& note);

// Whether anything is noted there.
bool has_unrecorded(format::FileHeader* header);

}  // namespace heapledger::runtime
