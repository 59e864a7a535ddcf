// Which functions pprof is to drop, with all that they call, so that it blames those that a report
// blames: `operator new`, malloc's wrappers and the standard library where a stack ends in them.
//
// pprof cuts a stack at the outermost function whose name matches, and looks at names without
// arguments. So those are dropped that are never on a stack outside of the function to blame: a
// function of the library that calls back into the program stays. Allocators are always dropped,
// with what they have inside.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "analyzer/query.h"

namespace heapledger::pprof {

class DroppedFrames {
 public:
  // A stack, the innermost frame first, and the place of the function to blame.
  void add(const std::vector<NamedFrame>& frames, size_t owner);

  // For drop_frames: a regular expression that matches whole names, always the same for the same
  // stacks. Empty: nothing is dropped.
  std::string pattern() const;

 private:
  std::unordered_set<std::string> inside_;   // between the function to blame and malloc
  std::unordered_set<std::string> outside_;  // it and its callers
};

}  // namespace heapledger::pprof
