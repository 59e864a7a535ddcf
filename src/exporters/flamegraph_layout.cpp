#include "exporters/flamegraph_layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "exporters/stacks.h"

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
  Layout(FlameLayout& out, Metric metric, double least_share)
      : out_(out), metric_(metric), least_(least_value(out.answer.tree, metric)) {
    rest_least_ = std::max<uint64_t>(
        least_, static_cast<uint64_t>(std::ceil(least_share * static_cast<double>(out.total))));
  }

  void place(uint32_t node, uint64_t begin, uint32_t depth) {
    const TreeNode& here = out_.answer.tree[node];
    uint64_t value = value_of(here.all, metric_);
    out_.frames.push_back({node, begin, value, depth, 0, 0});
    out_.rows = std::max(out_.rows, depth + 1);
    // Children are side by side from the left, then what is too narrow; what the frame allocates
    // itself is on the right.
    uint64_t end = begin + value - value_of(here.self, metric_);
    uint64_t smaller = here.hidden;
    for (uint32_t child : here.children) {
      uint64_t wide = value_of(out_.answer.tree[child].all, metric_);
      if (wide < least_) {
        smaller += wide > 0 ? 1 : 0;
        continue;
      }
      place(child, begin, depth + 1);
      begin += wide;
    }
    if (begin >= end) return;
    out_.left_out = true;
    if (end - begin < rest_least_) return;
    out_.rows = std::max(out_.rows, depth + 2);
    out_.frames.push_back({node, begin, end - begin, depth + 1, FlameLayout::kSmaller, smaller});
  }

 private:
  FlameLayout& out_;
  Metric metric_;
  uint64_t least_;
  uint64_t rest_least_;  // of the room of frames that are too narrow
};

// Colours go to the modules that take the most room.
void choose_colours(FlameLayout& layout) {
  std::unordered_map<std::string_view, uint64_t> room;
  for (const FlameFrame& frame : layout.frames) {
    if (frame.depth > 0 && frame.smaller == 0)
      room[layout.answer.tree[frame.node].module] += frame.value;
  }
  std::vector<std::pair<std::string_view, uint64_t>> order(room.begin(), room.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [module, taken] : order) {
    layout.has_others = layout.modules.size() == FlameLayout::kColours;
    if (layout.has_others) break;
    layout.modules.emplace_back(module);
  }
  for (FlameFrame& frame : layout.frames) {
    if (frame.smaller > 0) continue;
    frame.colour = frame.depth == 0 ? FlameLayout::kEverything
                                    : layout.colour_of(layout.answer.tree[frame.node].module);
  }
}

}  // namespace

uint32_t FlameLayout::colour_of(std::string_view module) const {
  auto found = std::find(modules.begin(), modules.end(), module);
  return found == modules.end() ? kOtherModules : static_cast<uint32_t>(found - modules.begin());
}

uint32_t shade_of(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash ^ hash >> 15) % kShades;
}

std::string place_text(std::string_view module, std::string_view file, uint32_t line) {
  std::string text;
  if (!module.empty()) text += "\n" + shown_name(base_name(module));
  if (!file.empty()) {
    text += "\n" + shown_name(file);
    if (line > 0) text += ":" + std::to_string(line);
  }
  return text;
}

FlameLayout lay_out(ExportRequest& request, const FlamegraphRequest& wanted) {
  Question question = request.question;
  question.tree = wanted.inverted ? TreeShape::kBottomUp : TreeShape::kTopDown;
  question.sort = request.metric.measure;
  question.least_share = wanted.least_share;
  FlameLayout layout;
  layout.answer = ask_for_metric(request, question);
  if (layout.answer.tree.empty()) return layout;
  layout.total = value_of(layout.answer.tree[0].all, request.metric);
  if (layout.total > 0) Layout(layout, request.metric, wanted.least_share).place(0, 0, 0);
  choose_colours(layout);
  return layout;
}

}  // namespace heapledger
