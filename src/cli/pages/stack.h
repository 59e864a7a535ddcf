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

// The same for an owner: with several stacks behind it, how many, and the largest as an example.
void put_owner(Buffer& to, Ledgers& ledgers, const Row& owner, size_t limit, const Page& page,
               const std::string& figures);

// A part of the program: what it is called, who has most of its `amount`, and who calls it.
void put_part(Buffer& to, const Row& part, uint64_t amount, size_t limit, const Page& page,
              const std::string& figures);

// The same for a stack that is at hand, from its first frame on.
void put_frames(Buffer& to, const std::vector<NamedFrame>& stack, size_t limit, const Page& page,
                const std::string& figures);

}  // namespace heapledger::cli
