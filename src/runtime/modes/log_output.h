// Where log mode's lines go: a descriptor that the program was given, or a file, which stays open
// under a high number that the program cannot close (os/descriptor_gate.h). Before each line it is
// made sure that the number still leads to the same file: no line goes elsewhere. Lines of all
// threads, and of all processes that share the place, stay whole.
//
// Thread safety: prepare_log runs at the start and in a forked child's first hook; log_line may be
// called by any thread.
#pragma once

#include "runtime/ledger/naming.h"

namespace heapledger::runtime {

// A line is never longer: what is written to a pipe at once up to here stays in one piece.
inline constexpr size_t kMaxLine = 4096;

// Remembers what is behind the descriptor, or the path of the file, and writes the line that says
// what the columns are. False: nothing can be logged, and with `tell` stderr has been told.
bool prepare_log(int fd, const PathText& path, bool tell);

// False: it could not be written; the caller counts that.
bool log_line(const char* line, size_t bytes);

}  // namespace heapledger::runtime
