// Who this process is: gathered for the ledger's name, and entered at the head of each ledger.
#pragma once

#include "runtime/ledger/naming.h"
#include "runtime/ledger/window.h"

namespace heapledger::runtime {

// More of a command line than this is not kept for forked processes.
inline constexpr size_t kMaxCommand = 16384;

struct ProcessInfo {
  PathText executable;          // full path
  os::Text<256> name;           // of what was executed: a link, a script
  os::Text<kMaxCommand> words;  // the command line as it was at the start, each word with a zero
  PathText folder;              // current folder when recording began
  os::Text<256> host;
  os::Text<64> job;        // of a batch system, or of what started a parallel job; empty: none
  os::Text<64> rank;       // among the processes of a parallel job; empty outside of one
  PathText parent_ledger;  // of the process this one was forked from; empty if none
};

extern ProcessInfo process_info;

// What patterns of file names can ask for, at this moment.
NameFacts name_facts();

// Whether the process that started this one has our library in it.
bool parent_is_recorded();

// At the start of a fresh image.
void gather_process_info();

// Enters command line, executable, host, rank, job, folder and parent into the ledger.
void enter_process_info(Window& window);

}  // namespace heapledger::runtime
