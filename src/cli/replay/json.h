// What a replay found, for programs.
#pragma once

#include "cli/replay/text.h"
#include "text/json_text.h"

namespace heapledger::cli::replay {

// heapledger.replay/1
Json comparison_json(const Comparison& comparison, const ReplayView& view);

// heapledger.replay.check/1
Json check_json(const std::vector<CandidateFigures>& checked, const ReplayView& view);

// heapledger.replay.tune/1
Json tuned_json(const std::vector<Tuned>& all, const ReplayView& view);

}  // namespace heapledger::cli::replay
