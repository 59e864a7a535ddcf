// Stacks added up to a graph of calls: what each function allocates itself, by line, and what goes
// through each call. A function is a name in a file of a module. On a stack that a function is on
// several times, what is allocated counts for the first call of it, the outermost, and for no
// other: the sum over all calls of a function is what was allocated with it on the stack.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/query.h"

namespace heapledger {

class CallgrindGraph {
 public:
  static constexpr size_t kMostCosts = 6;
  using Costs = std::array<uint64_t, kMostCosts>;

  struct Function {
    std::string name;
    std::string file;  // empty: unknown
    std::string module;
  };
  struct Call {
    uint32_t line = 0;  // of the caller
    uint32_t callee = 0;
    auto operator<=>(const Call&) const = default;
  };
  struct CallCosts {
    uint64_t count = 0;  // of allocations that were made through it, also further in
    Costs costs{};
  };
  struct Node {
    Function function;
    std::map<uint32_t, Costs> self;  // by line
    std::map<Call, CallCosts> calls;
  };

  // Function 0 stands for all stacks: it calls the outermost function of each.
  explicit CallgrindGraph(std::string name_of_all);

  // `frames` innermost first, at least one; `count` is how often it was called.
  void add(std::span<const NamedFrame> frames, uint64_t count, const Costs& costs);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Costs& totals() const { return totals_; }

 private:
  uint32_t function_of(const NamedFrame& frame);

  std::vector<Node> nodes_;
  std::vector<uint64_t> last_stack_;  // that a function was on, by its number
  uint64_t stacks_ = 0;
  tsl::robin_map<std::string, uint32_t> numbers_;
  std::string key_;
  Costs totals_{};
};

}  // namespace heapledger
