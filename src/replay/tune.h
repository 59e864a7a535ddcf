// Which settings of an allocator serve a program best: its documented settings that matter, each
// over the replay, then the best of them together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "replay/compare.h"

namespace heapledger {

// One value of one setting: "glibc.malloc.arena_max=1" in GLIBC_TUNABLES.
struct Setting {
  std::string variable;  // of the environment
  std::string name;      // in it; empty: the variable is the setting
  std::string value;
  std::string words;  // for people: "one arena for all threads"
};

// The settings that are tried for an allocator, by its name; none for those nobody knows. Values
// of one setting follow one another.
std::vector<Setting> settings_for(const std::string& allocator);

struct Tuned {
  std::string allocator;
  std::vector<CandidateFigures> tried;         // the first is the allocator as it is
  std::vector<std::vector<Setting>> settings;  // of each that was tried
  size_t fastest = 0;                          // in `tried`: least time
  size_t smallest = 0;                         // least peak memory
  size_t best = 0;                             // least time × peak memory; 0: as it is
  bool out_of_time = false;                    // some were not tried
  std::string verdict;                         // what to export, with the gain and the cost
};

struct TuneOptions {
  CompareOptions compare;
  double limit_seconds = 120;  // for all
};

Tuned tune(const Schedule& schedule, const Candidate& candidate, const TuneOptions& options);

// What has to be in the environment for these settings together: GLIBC_TUNABLES=a=1:b=2.
std::vector<std::pair<std::string, std::string>> environment_of(
    const std::vector<Setting>& settings);

}  // namespace heapledger
