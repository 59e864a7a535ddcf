// The environment of a recorded program: the user's own, with the runtime in front of LD_PRELOAD
// and the request to record in HEAPLEDGER; on request, the variables that switch pools off. Nothing
// else changes, neither values nor their order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger::cli::run {

struct RecordingRequest {
  std::string library;  // path of the runtime, free of what LD_PRELOAD cannot hold
  std::string pattern;  // absolute
  uint64_t run_id;
  std::vector<std::string> words;  // settings, as name=value
  std::string before = {};         // preloaded between the runtime and what the user preloads
  std::string behind = {};         // preloaded behind that: another allocator
  bool no_pools = false;           // set the variables that switch pools off (run_pools.h)
  uint64_t owner = 0;              // the process that is not a child; 0: nobody is to know
};

// `user` is an environ: NAME=VALUE strings with a null at the end.
std::vector<std::string> recording_environment(const char* const* user,
                                               const RecordingRequest& request);

// The words of a HEAPLEDGER variable, their backslashes resolved.
std::vector<std::string> setting_words(std::string_view text);

// The value of `key` in the words of a HEAPLEDGER variable, its backslashes resolved; empty when
// it is not there.
std::string word_value(std::string_view words, std::string_view key);

// A number that no other run has; never 0.
uint64_t new_run_id();

}  // namespace heapledger::cli::run
