// A screen of `heapledger top` for programs: schema heapledger.top/1, described in docs/live.md.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/top/rows.h"
#include "text/json_text.h"

namespace heapledger::cli::top {

Json top_json(const TopReading& reading, const std::vector<TopRow>& rows, const TopChoice& choice,
              size_t most);

}  // namespace heapledger::cli::top
