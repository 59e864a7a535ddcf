#include "cores/live_heap.h"

#include <algorithm>

namespace heapledger::cores {

bool has_our_library(const LiveHeap& heap) {
  return std::any_of(heap.modules.begin(), heap.modules.end(), [](const Module& module) {
    return module.path.find("/libheapledger") != std::string::npos;
  });
}

}  // namespace heapledger::cores
