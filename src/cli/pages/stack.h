// The stack of a site, beginning with the function to blame: allocators and standard libraries
// inside of it are left out, inlined functions are marked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/pages/page.h"

namespace heapledger::cli {

// `figures` and the first frame on one line, the callers below the first frame, `limit` frames in
// all.
void put_stack(Buffer& to, Ledgers& ledgers, uint32_t site, size_t limit, const Page& page,
               const std::string& figures);

// The same for a stack that is at hand, from its first frame on.
void put_frames(Buffer& to, const std::vector<NamedFrame>& stack, size_t limit, const Page& page,
                const std::string& figures);

}  // namespace heapledger::cli
