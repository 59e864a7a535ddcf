#include "exporters/callgrind_graph.h"

#include <utility>

namespace heapledger {
namespace {

void add_to(CallgrindGraph::Costs& sum, const CallgrindGraph::Costs& costs) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += costs[i];
}

}  // namespace

CallgrindGraph::CallgrindGraph(std::string name_of_all) {
  nodes_.emplace_back().function.name = std::move(name_of_all);
  last_stack_.push_back(0);
}

uint32_t CallgrindGraph::function_of(const NamedFrame& frame) {
  key_.assign(frame.name).append(1, '\0').append(frame.file).append(1, '\0').append(frame.module);
  auto [place, is_new] = numbers_.try_emplace(key_, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    nodes_.emplace_back().function = {frame.name, frame.file, frame.module};
    last_stack_.push_back(0);
  }
  return place->second;
}

void CallgrindGraph::add(std::span<const NamedFrame> frames, uint64_t count, const Costs& costs) {
  ++stacks_;
  uint32_t caller = 0;
  Call call;
  for (size_t i = frames.size(); i-- > 0;) {
    call.callee = function_of(frames[i]);
    CallCosts& through = nodes_[caller].calls[call];
    through.count += count;
    if (last_stack_[call.callee] != stacks_) add_to(through.costs, costs);
    last_stack_[call.callee] = stacks_;
    caller = call.callee;
    call.line = frames[i].line;
  }
  add_to(nodes_[caller].self[call.line], costs);
  add_to(totals_, costs);
}

}  // namespace heapledger
