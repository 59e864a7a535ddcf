// The scripts and the style of pictures to click on. The build makes them from flamegraph_views.js,
// flamegraph.js, flamegraph.css and graph.js, as they are there. Nothing in them is from a ledger.
#pragma once

#include <string_view>

namespace heapledger {

extern const std::string_view kFlamegraphScript;
extern const std::string_view kFlamegraphStyle;
extern const std::string_view kGraphScript;

}  // namespace heapledger
