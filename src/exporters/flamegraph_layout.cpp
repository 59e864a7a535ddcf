#include "exporters/flamegraph_layout.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace heapledger {
namespace {

constexpr size_t kMostFrames = FlameLayout::kMostFrames;

// The least value that a frame may have, so that there are not too many. A frame is never wider
// than the one it is in, so what is left hangs together.
uint64_t least_value(const std::vector<TreeNode>& tree, Metric metric) {
  if (tree.size() <= kMostFrames) return 1;
  std::vector<uint64_t> values;
  values.reserve(tree.size());
  for (const TreeNode& node : tree) values.push_back(value_of(node.all, metric));
  std::nth_element(values.begin(), values.begin() + kMostFrames, values.end(), std::greater<>());
  return values[kMostFrames] + 1;
}

class Layout {
 public:
  Layout(FlameLayout& out, Metric metric) : out_(out), metric_(metric) {
    least_ = least_value(out.answer.tree, metric);
  }

  void place(uint32_t node, uint64_t begin, uint32_t depth) {
    const TreeNode& here = out_.answer.tree[node];
    uint64_t value = value_of(here.all, metric_);
    if (value < least_) {
      out_.left_out = out_.left_out || value > 0;
      return;
    }
    out_.frames.push_back({node, begin, value, depth, 0});
    out_.rows = std::max(out_.rows, depth + 1);
    // Children are side by side from the left; what the frame allocates itself is on the right.
    uint64_t end = begin + value - value_of(here.self, metric_);
    for (uint32_t child : here.children) {
      place(child, begin, depth + 1);
      begin += value_of(out_.answer.tree[child].all, metric_);
    }
    out_.left_out = out_.left_out || begin < end;
  }

 private:
  FlameLayout& out_;
  Metric metric_;
  uint64_t least_ = 1;
};

// Colours go to the modules that take the most room.
void choose_colours(FlameLayout& layout) {
  std::unordered_map<std::string_view, uint64_t> room;
  for (const FlameFrame& frame : layout.frames) {
    if (frame.depth > 0) room[layout.answer.tree[frame.node].module] += frame.value;
  }
  std::vector<std::pair<std::string_view, uint64_t>> order(room.begin(), room.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::unordered_map<std::string_view, uint32_t> colours;
  for (const auto& [module, taken] : order) {
    layout.has_others = colours.size() == FlameLayout::kColours;
    if (layout.has_others) break;
    colours.emplace(module, static_cast<uint32_t>(colours.size()));
    layout.modules.emplace_back(module);
  }
  for (FlameFrame& frame : layout.frames) {
    auto found = colours.find(layout.answer.tree[frame.node].module);
    frame.colour = frame.depth == 0         ? FlameLayout::kEverything
                   : found == colours.end() ? FlameLayout::kOtherModules
                                            : found->second;
  }
}

}  // namespace

FlameLayout lay_out(ExportRequest& request, const FlamegraphRequest& wanted) {
  Question question = request.question;
  question.tree = wanted.inverted ? TreeShape::kBottomUp : TreeShape::kTopDown;
  question.sort = request.metric.measure;
  question.least_share = wanted.least_share;
  FlameLayout layout;
  layout.answer = request.ledgers.ask(question);
  if (layout.answer.tree.empty()) return layout;
  layout.total = value_of(layout.answer.tree[0].all, request.metric);
  Layout(layout, request.metric).place(0, 0, 0);
  choose_colours(layout);
  return layout;
}

}  // namespace heapledger
