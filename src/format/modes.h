// The modes that a reader has to tell apart, as the file header has them. The whole list, with what
// each is for, is settings::Mode, which has the same values.
#pragma once

#include <cstdint>

namespace heapledger::format {

inline constexpr uint32_t kModeTrace = 0;
inline constexpr uint32_t kModeCount = 2;
inline constexpr uint32_t kModeLog = 3;
inline constexpr uint32_t kModeSample = 4;
inline constexpr uint32_t kModeLive = 5;  // the blocks that are live at one moment, and no others

// Of live mode alone, beside HeaderFlag: nobody knows when the blocks were allocated.
inline constexpr uint32_t kFlagNoTimes = 8;

}  // namespace heapledger::format
