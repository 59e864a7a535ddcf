// The script and the style of flame graphs. The build makes them from flamegraph.js and
// flamegraph.css, as they are there. Neither contains anything from a ledger.
#pragma once

#include <string_view>

namespace heapledger {

extern const std::string_view kFlamegraphScript;
extern const std::string_view kFlamegraphStyle;

}  // namespace heapledger
