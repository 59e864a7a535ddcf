// Sizes and durations as people write them: one dialect for every option, filter, setting and
// limit. A number, which may have a fraction, and a unit, in letters of either case:
//
//   sizes       512, 512B, 512k, 512kB, 512KiB, 1.5M, 2g, 1T: powers of 1024
//   durations   100ns, 5us, 250ms, 1.5s, 2min or 2m, 1h: never without a unit
//
// There may be spaces before the unit, as reports have them. Bytes and nanoseconds have no
// fraction. Lives inside other programs, too: libc only, no allocation, no exceptions.
#pragma once

#include <cstdint>
#include <string_view>

namespace heapledger::base {

// False, and nothing is changed, when the text is not all of one value or that is too large.
bool read_size(std::string_view text, uint64_t& bytes);
bool read_duration(std::string_view text, uint64_t& ns);

// For messages: "cannot read 'x' as a size: write 512k, 1.5M or 2GiB".
inline constexpr const char* kSizesToWrite = "512k, 1.5M or 2GiB";
inline constexpr const char* kDurationsToWrite = "250ms, 2min or 1h";

}  // namespace heapledger::base
