// Whether some process still has a ledger open for writing, or mapped so.
#pragma once

#include <cstdint>
#include <string>

namespace heapledger::seal {

// `pid` is the process that the ledger is of, as its header says: looked at where the kernel does
// not answer for the file itself.
bool has_writer(const std::string& path, uint32_t pid);

}  // namespace heapledger::seal
