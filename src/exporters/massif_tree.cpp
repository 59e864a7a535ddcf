#include "exporters/massif_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/query/wrappers.h"
#include "exporters/stacks.h"
#include "exporters/valgrind_text.h"

namespace heapledger {
namespace {

constexpr uint64_t kShares = 100;  // a line has at least one of them
constexpr size_t kDeepest = 98;    // ms_print warns of trees that are deeper
constexpr const char* kRoot = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.";
constexpr const char* kEndOfStack = "0x0: [the stack ends here]";

// Readers take the rest of a line for a comment.
void without_comments(std::string& label) {
  std::replace(label.begin(), label.end(), '#', '$');
}

// The root stands for the functions that allocate; a stack of nothing else is left as it is.
size_t allocators_in(const std::vector<NamedFrame>& frames) {
  size_t count = 0;
  while (count < frames.size() && is_allocator(frames[count].function)) ++count;
  return count < frames.size() ? count : 0;
}

}  // namespace

const std::vector<uint32_t>& MassifTrees::stack_of(uint32_t site) {
  auto [place, is_new] = stacks_.try_emplace(site);
  if (!is_new) return place->second;
  std::vector<NamedFrame> frames = frames_of(ledgers_, site);
  for (size_t i = allocators_in(frames); i < frames.size(); ++i) {
    std::string label = valgrind_frame(frames[i]);
    without_comments(label);
    auto [text, is_new_text] =
        numbers_.try_emplace(std::move(label), static_cast<uint32_t>(labels_.size()));
    if (is_new_text) labels_.push_back(&text->first);
    place->second.push_back(text->second);
  }
  return place->second;
}

void MassifTrees::write(const Answer& answer) {
  std::vector<Part> parts;
  for (const Row& row : answer.rows) {
    if (row.all.live_bytes > 0) parts.push_back({&stack_of(row.site), row.all.live_bytes});
  }
  uint64_t bytes = answer.totals.live_bytes;
  least_ = bytes / kShares + (bytes % kShares > 0 ? 1 : 0);
  // Stacks that begin alike come together, at every depth.
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return *a.stack < *b.stack; });
  write_node(parts, 0, bytes, kRoot);
}

// `depth`: how many frames all of the parts have in common.
MassifTrees::Children MassifTrees::children_of(Parts parts, size_t depth) const {
  Children children;
  if (depth >= kDeepest) return children;
  for (size_t begin = 0; begin < parts.size();) {
    auto frame_of = [&](size_t i) -> int64_t {
      return depth < parts[i].stack->size() ? int64_t{(*parts[i].stack)[depth]} : -1;
    };
    Child child;
    child.ends = frame_of(begin) < 0;
    size_t end = begin;
    for (; end < parts.size() && frame_of(end) == frame_of(begin); ++end) {
      child.bytes += parts[end].bytes;
    }
    // A stack that ends here needs no line, unless others go on.
    if (child.ends && end == parts.size()) return children;
    child.parts = parts.subspan(begin, end - begin);
    begin = end;
    if (child.bytes >= least_) {
      children.shown.push_back(child);
    } else {
      ++children.hidden;
      children.hidden_bytes += child.bytes;
    }
  }
  std::stable_sort(children.shown.begin(), children.shown.end(),
                   [](const Child& a, const Child& b) { return a.bytes > b.bytes; });
  return children;
}

void MassifTrees::write_node(Parts parts, size_t depth, uint64_t bytes, std::string_view label) {
  Children children = children_of(parts, depth);
  write_line(depth, children.shown.size() + (children.hidden > 0 ? 1 : 0), bytes, label);
  for (const Child& child : children.shown) {
    if (child.ends) {
      write_line(depth + 1, 0, child.bytes, kEndOfStack);
    } else {
      write_node(child.parts, depth + 1, child.bytes,
                 *labels_[(*child.parts.front().stack)[depth]]);
    }
  }
  if (children.hidden == 0) return;
  write_line(
      depth + 1, 0, children.hidden_bytes,
      children.hidden == 1
          ? "in 1 place, below massif's threshold (1.00%)"
          : fmt::format("in {} places, all below massif's threshold (1.00%)", children.hidden));
}

void MassifTrees::write_line(size_t depth, size_t children, uint64_t bytes,
                             std::string_view label) {
  output_.write(std::string(depth, ' '));
  output_.write(fmt::format("n{}: {} {}\n", children, bytes, label));
}

}  // namespace heapledger
