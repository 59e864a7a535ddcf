#include "exporters/graph.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "exporters/formats.h"
#include "exporters/stacks.h"

namespace heapledger {
namespace {

// A graph with more cannot be read, and takes graphviz minutes.
constexpr size_t kMostNodes = 200;

// The calls on all stacks with what they carry. Functions are numbers here.
class Calls {
 public:
  // The frames from the one that is said to allocate outwards.
  void add(std::span<const NamedFrame> frames, uint64_t value) {
    keys_.clear();
    uint32_t callee = 0;
    for (const NamedFrame& frame : frames) {
      uint32_t caller = number_of(frame.name);
      if (callee != 0) keys_.push_back(uint64_t{caller} << 32 | callee);
      callee = caller;
    }
    // Recursion brings the same call several times.
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    for (uint64_t key : keys_) values_[key] += value;
  }

  bool know(const std::string& name) const { return numbers_.contains(name); }

  // Edges with at least this much, and the largest into every node, so that few hang in the air:
  // those whose callers are all left out.
  void choose(double least, CallGraph& graph) const {
    std::vector<GraphEdge> edges = edges_between(graph);
    std::vector<uint64_t> largest(graph.nodes.size());
    for (const GraphEdge& edge : edges) {
      if (edge.from != edge.to) largest[edge.to] = std::max(largest[edge.to], edge.value);
    }
    for (const GraphEdge& edge : edges) {
      if (static_cast<double>(edge.value) >= least || edge.value == largest[edge.to]) {
        graph.edges.push_back(edge);
      }
    }
    graph.pruned_edges = values_.size() - graph.edges.size();
    std::sort(graph.edges.begin(), graph.edges.end(), [](const GraphEdge& a, const GraphEdge& b) {
      if (a.value != b.value) return a.value > b.value;
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
  }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  // From 1.
  uint32_t number_of(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<uint32_t>(numbers_.size() + 1)).first->second;
  }

  std::vector<GraphEdge> edges_between(const CallGraph& graph) const {
    std::vector<uint32_t> places(numbers_.size() + 1, kNowhere);
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) places[numbers_.at(graph.nodes[i].name)] = i;
    std::vector<GraphEdge> edges;
    for (const auto& [key, value] : values_) {
      GraphEdge edge{places[key >> 32], places[static_cast<uint32_t>(key)], value};
      if (edge.from != kNowhere && edge.to != kNowhere) edges.push_back(edge);
    }
    return edges;
  }

  std::unordered_map<std::string, uint32_t> numbers_;
  std::unordered_map<uint64_t, uint64_t> values_;  // by caller and callee
  std::vector<uint64_t> keys_;
};

// The stack without what the function that is said to allocate has inside.
std::span<const NamedFrame> owners_of(Ledgers& ledgers, const ExportedStack& stack) {
  std::span<const NamedFrame> frames(stack.frames);
  NamedFrame owner = ledgers.first_interesting_frame(stack.site);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].pc == owner.pc && frames[i].name == owner.name) return frames.subspan(i);
  }
  return frames;  // there is no stack
}

// The functions of the report that are on these stacks. Returns the least that is shown.
double add_nodes(ExportRequest& request, double prune, const Calls& calls, CallGraph& graph) {
  Question question = request.question;
  question.by = GroupBy::kFunction;
  question.tree = TreeShape::kNone;
  question.sort = request.metric.measure;
  Answer answer = request.ledgers.ask(question);
  graph.total = value_of(answer.totals, request.metric);
  double least = prune * static_cast<double>(graph.total);
  for (Row& row : answer.rows) {
    uint64_t all = value_of(row.all, request.metric);
    uint64_t self = value_of(row.self, request.metric);
    if (all == 0 || !calls.know(row.name)) continue;
    bool large = static_cast<double>(all) >= least;
    if (large && graph.nodes.size() < kMostNodes) {
      graph.nodes.push_back({std::move(row.name), std::move(row.module), all, self});
      continue;
    }
    graph.too_many = graph.too_many || large;
    ++graph.pruned_nodes;
    graph.pruned_self += self;
  }
  return least;
}

}  // namespace

CallGraph make_graph(ExportRequest& request, const GraphRequest& wanted) {
  Calls calls;
  for_each_stack(request, [&](const ExportedStack& stack) {
    uint64_t value = value_of(stack.figures, request.metric);
    if (value == 0) return;
    calls.add(wanted.wrappers ? std::span<const NamedFrame>(stack.frames)
                              : owners_of(request.ledgers, stack),
              value);
  });
  CallGraph graph;
  double least = add_nodes(request, wanted.prune, calls, graph);
  calls.choose(least, graph);
  return graph;
}

void write_graph(ExportRequest& request, const GraphRequest& wanted, std::string_view format,
                 Output& output) {
  std::string text = dot_text(request, wanted);
  if (format == "dot" || format == "gv") {
    output.write(text);
  } else {
    render_graph(text, format, output);
  }
}

void write_dot(ExportRequest& request, Output& output) {
  write_graph(request, {}, "dot", output);
}

void write_svg(ExportRequest& request, Output& output) {
  write_graph(request, {}, "svg", output);
}

void write_pdf(ExportRequest& request, Output& output) {
  write_graph(request, {}, "pdf", output);
}

void write_ps(ExportRequest& request, Output& output) {
  write_graph(request, {}, "ps", output);
}

}  // namespace heapledger
