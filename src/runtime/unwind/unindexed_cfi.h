// Unwind information of an object that has no .eh_frame_hdr (linked with --no-eh-frame-hdr):
// nothing in memory says where .eh_frame is, and the file's section headers may be those of another
// file by now. So it is looked for where it must be: in the read-only segments, by its shape. What
// is accepted is the longest run of records that hold together: CIEs of this machine, FDEs that
// refer to them and describe executable code of this very object.
#pragma once

#include "runtime/unwind/objects.h"

namespace heapledger::runtime {

// False: there is none. The answer is remembered until code is unloaded. Takes no lock.
bool find_unindexed(const LoadedObject& object, CfiModule& module);

}  // namespace heapledger::runtime
