// A moment one can ask about, as a user names it. What it means in given ledgers is found out
// when a question is asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heapledger {

struct MomentSpec {
  enum class Kind {
    kStart,    // before anything
    kPeak,     // most bytes live, all processes together: exactly
    kRssPeak,  // the high-water mark of the resident memory rose for the last time
    kEnd,      // of each process
    kTime,     // time_ns since the start of the earliest ledger; all that is stamped up to then
    kPercent,  // of the time from the earliest start to the latest end
    kMarker,   // the first one with that text
  };
  Kind kind = Kind::kPeak;
  uint64_t time_ns = 0;
  double percent = 0;
  std::string marker;
  bool operator==(const MomentSpec&) const = default;
};

// "start", "peak", "rss-peak", "end", "1.5s", "200ms", "10us", "5ns", "2min", "50%", "marker:NAME";
// any other word is a marker's name. Throws Error that says what is allowed.
MomentSpec parse_moment(std::string_view text);

// The moment in words, in the same syntax.
std::string to_text(const MomentSpec& moment);

}  // namespace heapledger
