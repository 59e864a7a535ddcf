#include "exporters/graph.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "exporters/formats.h"
#include "exporters/stacks.h"

namespace heapledger {
namespace {

// The stacks as numbers of functions, from the one that is said to allocate outwards, and the calls
// on them with what they carry.
class Calls {
 public:
  void add(std::span<const NamedFrame> frames, uint64_t value) {
    for (const NamedFrame& frame : frames) functions_.push_back(number_of(frame.name));
    ends_.push_back(functions_.size());
    values_.push_back(value);
  }

  // 0: on none of the stacks.
  uint32_t known(const std::string& name) const {
    auto found = numbers_.find(name);
    return found == numbers_.end() ? 0 : found->second;
  }

  // The calls between functions whose place is not kNowhere, as edges; each stack counts once.
  static constexpr uint32_t kNowhere = UINT32_MAX;
  std::vector<GraphEdge> edges_between(const std::vector<uint32_t>& places) const {
    std::unordered_map<uint64_t, GraphEdge> edges;  // by caller and callee
    std::vector<GraphEdge> here;
    size_t begin = 0;
    for (size_t stack = 0; stack < ends_.size(); ++stack) {
      here.clear();
      uint32_t callee = kNowhere;
      bool direct = true;
      for (size_t i = begin; i < ends_[stack]; ++i) {
        uint32_t caller = places[functions_[i]];
        if (caller != kNowhere && callee != kNowhere && (direct || caller != callee)) {
          here.push_back({caller, callee, values_[stack], direct});
        }
        direct = caller != kNowhere;
        if (direct) callee = caller;
      }
      begin = ends_[stack];
      // Recursion brings the same call several times, the direct one first.
      std::sort(here.begin(), here.end(), [](const GraphEdge& a, const GraphEdge& b) {
        return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : a.direct > b.direct;
      });
      for (size_t i = 0; i < here.size(); ++i) {
        if (i > 0 && key_of(here[i]) == key_of(here[i - 1])) continue;
        auto [place, is_new] = edges.try_emplace(key_of(here[i]), here[i]);
        if (is_new) continue;
        place->second.value += here[i].value;
        place->second.direct = place->second.direct || here[i].direct;
      }
    }
    std::vector<GraphEdge> list;
    list.reserve(edges.size());
    for (const auto& [key, edge] : edges) list.push_back(edge);
    return list;
  }

  // Every function in its own place.
  std::vector<uint32_t> everywhere() const {
    std::vector<uint32_t> places(numbers_.size() + 1);
    for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
    return places;
  }

 private:
  static uint64_t key_of(const GraphEdge& edge) { return uint64_t{edge.from} << 32 | edge.to; }

  // From 1.
  uint32_t number_of(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<uint32_t>(numbers_.size() + 1)).first->second;
  }

  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<uint32_t> functions_;
  std::vector<size_t> ends_;  // of the stacks, in functions_
  std::vector<uint64_t> values_;
};

struct Candidate {
  GraphNode node;
  uint32_t number = 0;
  uint64_t own = 0;  // what it does not pass on from one function to one other
};

// What makes a function worth a box: not what passes through it, which is the same for all on the
// way from main to the work, but what it allocates, or where it parts.
void weigh(const std::vector<GraphEdge>& edges, std::vector<Candidate>& candidates) {
  std::unordered_map<uint32_t, uint64_t> largest;  // call from a function
  for (const GraphEdge& edge : edges) {
    if (edge.from != edge.to) largest[edge.from] = std::max(largest[edge.from], edge.value);
  }
  for (Candidate& one : candidates) {
    one.own = one.node.all - std::min(one.node.all, largest[one.number]);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.own > b.own; });
}

// Edges with at least this much, and the largest into every node, so that few hang in the air.
// Where not all functions have a box, there are no more than half again as many arrows, with the
// largest.
void choose_edges(std::vector<GraphEdge> edges, double least, CallGraph& graph) {
  std::sort(edges.begin(), edges.end(), [](const GraphEdge& a, const GraphEdge& b) {
    if (a.value != b.value) return a.value > b.value;
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  size_t most = graph.too_many ? graph.nodes.size() * 3 / 2 : edges.size();
  std::vector<uint64_t> largest(graph.nodes.size());
  for (const GraphEdge& edge : edges) {
    if (edge.from != edge.to) largest[edge.to] = std::max(largest[edge.to], edge.value);
  }
  for (const GraphEdge& edge : edges) {
    bool large = static_cast<double>(edge.value) >= least && graph.edges.size() < most;
    if (large || edge.value == largest[edge.to]) graph.edges.push_back(edge);
  }
}

// The functions of the report that are on these stacks and have enough, the largest first.
std::vector<Candidate> candidates_of(ExportRequest& request, double prune, const Calls& calls,
                                     CallGraph& graph) {
  Question question = request.question;
  question.by = GroupBy::kFunction;
  question.tree = TreeShape::kNone;
  question.sort = request.metric.measure;
  Answer answer = ask_for_metric(request, question);
  graph.total = value_of(answer.totals, request.metric);
  std::vector<Candidate> candidates;
  for (Row& row : answer.rows) {
    uint64_t all = value_of(row.all, request.metric);
    uint64_t self = value_of(row.self, request.metric);
    uint32_t number = calls.known(row.name);
    if (all == 0 || number == 0) continue;
    if (static_cast<double>(all) >= prune * static_cast<double>(graph.total)) {
      candidates.push_back({{std::move(row.name), std::move(row.module), all, self}, number, 0});
    } else {
      ++graph.pruned_nodes;
      graph.pruned_self += self;
    }
  }
  return candidates;
}

// Those that get a box; the largest first. Returns their places by number.
std::vector<uint32_t> choose_nodes(std::vector<Candidate> candidates, size_t boxes,
                                   std::vector<uint32_t> places, CallGraph& graph) {
  std::fill(places.begin(), places.end(), Calls::kNowhere);
  for (size_t i = boxes; i < candidates.size(); ++i) {
    graph.too_many = true;
    ++graph.pruned_nodes;
    graph.pruned_self += candidates[i].node.self;
  }
  candidates.resize(std::min(candidates.size(), boxes));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.node.all > b.node.all; });
  for (Candidate& one : candidates) {
    places[one.number] = static_cast<uint32_t>(graph.nodes.size());
    graph.nodes.push_back(std::move(one.node));
  }
  return places;
}

}  // namespace

CallGraph make_graph(ExportRequest& request, const GraphRequest& wanted) {
  Calls calls;
  for_each_stack(request, [&](const ExportedStack& stack) {
    uint64_t value = value_of(stack.figures, request.metric);
    if (value == 0) return;
    std::span<const NamedFrame> frames(stack.frames);
    size_t owner = wanted.wrappers ? 0 : owner_place(request.ledgers, stack.site, stack.frames);
    calls.add(frames.subspan(owner), value);
  });
  CallGraph graph;
  std::vector<Candidate> candidates = candidates_of(request, wanted.prune, calls, graph);
  const std::vector<GraphEdge> all_edges = calls.edges_between(calls.everywhere());
  if (candidates.size() > wanted.boxes) weigh(all_edges, candidates);
  std::vector<uint32_t> places =
      choose_nodes(std::move(candidates), wanted.boxes, calls.everywhere(), graph);
  choose_edges(calls.edges_between(places), wanted.prune * static_cast<double>(graph.total), graph);
  auto direct = std::count_if(graph.edges.begin(), graph.edges.end(),
                              [](const GraphEdge& edge) { return edge.direct; });
  graph.pruned_edges = all_edges.size() - static_cast<size_t>(direct);
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
