#include "analyzer/query/pass_on.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heapledger {
namespace {

// One more look for each layer of such functions upon another.
constexpr int kMostLayers = 4;
constexpr size_t kMostStacks = 10'000;

// What a name does not tell has to be all the clearer.
struct Demand {
  size_t callers;
  size_t places;
};
constexpr Demand kByName = {3, 12};
constexpr Demand kOtherwise = {8, 6};
constexpr size_t kLeastStacks = 4;
constexpr size_t kMostKept = 16;  // of callers and places: more makes no difference

struct Behaviour {
  size_t innermost = 0;  // stacks in which nobody else comes before the allocator
  size_t further_out = 0;
  std::vector<uint32_t> callers;  // names
  std::vector<uint32_t> places;   // frames
  bool says_so = true;            // its name
  bool is_inner_layer = true;     // all callers sound as if they passed it on once more
};

void add_once(std::vector<uint32_t>& to, uint32_t value) {
  if (to.size() < kMostKept && std::find(to.begin(), to.end(), value) == to.end()) {
    to.push_back(value);
  }
}

bool passes_on(const Behaviour& seen) {
  const Demand demand = seen.says_so ? kByName : kOtherwise;
  const bool has_callers =
      seen.callers.size() >= demand.callers || (seen.is_inner_layer && !seen.callers.empty());
  return seen.innermost >= kLeastStacks && seen.further_out * 10 <= seen.innermost && has_callers &&
         seen.places.size() <= demand.places;
}

// The innermost frames of stacks; of many, some of them, the same whatever their order.
std::vector<uint32_t> some_ends(const SiteCatalog& catalog) {
  std::vector<bool> has_more(catalog.size());
  for (uint32_t site = 1; site < catalog.size(); ++site) has_more[catalog.parent_of(site)] = true;
  std::vector<uint32_t> ends;
  for (uint32_t site = 1; site < catalog.size(); ++site) {
    if (!has_more[site] && catalog.has_frame(site)) ends.push_back(site);
  }
  const size_t step = ends.size() / kMostStacks + 1;
  std::erase_if(ends, [&](uint32_t site) {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
    uint64_t sum = 0;
    for (int i = 0; i < 64 && site != SiteCatalog::kRoot; ++i, site = catalog.parent_of(site)) {
      sum = (sum ^ catalog.address_of(site)) * kGoldenRatio;
    }
    return (sum >> 32) % step != 0;
  });
  return ends;
}

using Seen = std::unordered_map<uint32_t, Behaviour>;  // by name

void look_at(const StackNames& names, const std::vector<uint32_t>& stack, Seen& seen) {
  if (stack.empty()) return;
  const size_t blamed = names.first_interesting(stack);
  const FrameInfo& first = names.frame(stack[blamed]);
  if (first.wrapper) return;
  if (first.may_pass_on) {
    Behaviour& its = seen[first.name];
    its.says_so = first.says_allocator;
    ++its.innermost;
    add_once(its.places, stack[blamed]);
    for (size_t i = blamed + 1; i < stack.size(); ++i) {
      const FrameInfo& caller = names.frame(stack[i]);
      if (caller.name == first.name) continue;
      add_once(its.callers, caller.name);
      if (!caller.says_allocator) its.is_inner_layer = false;
      break;
    }
  }
  for (size_t i = blamed + 1; i < stack.size(); ++i) {
    const FrameInfo& frame = names.frame(stack[i]);
    if (frame.may_pass_on && frame.name != first.name) ++seen[frame.name].further_out;
  }
}

}  // namespace

std::vector<uint32_t> find_those_that_pass_on(StackNames& names) {
  std::vector<uint32_t> all;
  const std::vector<uint32_t> ends = some_ends(names.catalog());
  std::vector<uint32_t> stack;
  for (int layer = 0; layer < kMostLayers; ++layer) {
    Seen seen;
    for (uint32_t site : ends) {
      names.stack(site, stack);
      look_at(names, stack, seen);
    }
    std::vector<uint32_t> found;
    for (const auto& [name, its] : seen) {
      if (passes_on(its)) found.push_back(name);
    }
    if (found.empty()) break;
    names.count_as_wrappers(found);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace heapledger
