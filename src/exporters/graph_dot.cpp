// Call graphs in the language of graphviz. A box's colour goes with what passes through a function,
// the size of its text with what the function allocates itself, the width of an arrow with what is
// behind the call. The attributes all, self and value have the exact figures; graphviz keeps them
// and draws nothing for them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "exporters/graph.h"
#include "text/text.h"
#include "text/utf8.h"

namespace heapledger {
namespace {

constexpr size_t kLineLength = 34;
constexpr size_t kLongestLabel = 4 * kLineLength;

using Colour = std::array<double, 3>;

std::string between(const Colour& from, const Colour& to, double share) {
  auto mixed = [&](size_t i) {
    return static_cast<unsigned>(std::lround(from[i] + (to[i] - from[i]) * share));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2));
}

// Inside double quotes. Graphviz reads backslashes and XML's entities in labels.
std::string dot_quoted(std::string_view text) {
  std::string safe;
  for (char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
    if (c == '&') safe += "amp;";
  }
  return safe;
}

// After how many bytes of a line it is parted best: behind punctuation, or else behind an
// underscore; where neither is in its second half, at its end.
size_t place_to_part(std::string_view line) {
  const size_t half = line.size() / 2;
  auto behind_last = [&](std::string_view signs) {
    const size_t found = line.find_last_of(signs);
    return found == std::string_view::npos || found < half ? 0 : found + 1;
  };
  if (const size_t place = behind_last(",: <>()"); place > 0) {
    const bool half_pair = line[place - 1] == ':' && line[place - 2] != ':';
    return half_pair ? place - 1 : place;
  }
  const size_t place = behind_last("_");
  return place > 0 ? place : line.size();
}

// A name in lines that are not too long.
std::string lines_of(std::string_view name) {
  std::string text;
  std::string line;
  size_t length = 0;
  std::string cut = cut_text(name, kLongestLabel);
  for (const Utf8Piece& piece : Utf8Pieces(cut)) {
    line += piece.bytes;
    if (++length <= kLineLength) continue;
    const size_t place = place_to_part(line);
    text += dot_quoted(std::string_view(line).substr(0, place)) + "\\n";
    line.erase(0, place);
    length = 0;
    for ([[maybe_unused]] const Utf8Piece& left : Utf8Pieces(line)) ++length;
  }
  return line.empty() ? text : text + dot_quoted(line) + "\\n";
}

class Writer {
 public:
  Writer(const CallGraph& graph, Metric metric) : graph_(graph), metric_(metric) {}

  std::string write(const PictureHeading& heading, double prune) {
    text_ =
        "digraph heapledger {\n"
        "graph [labelloc=t labeljust=l fontname=\"Helvetica,Arial,sans-serif\" fontsize=16 "
        "nodesep=0.3 ranksep=0.4 pad=0.2 bgcolor=white\n";
    text_ += fmt::format("  label=\"{}\\l{}\\l{}\\l\"", dot_quoted(heading.title),
                         dot_quoted(heading.what), dot_quoted(left_out(prune)));
    text_ +=
        fmt::format(" total={} pruned_functions={} pruned_self={} pruned_calls={}];\n",
                    graph_.total, graph_.pruned_nodes, graph_.pruned_self, graph_.pruned_edges);
    text_ +=
        "node [shape=box style=\"filled,rounded\" fontname=\"Helvetica,Arial,sans-serif\" "
        "color=\"#5b4636\" fontcolor=\"#1a1a1a\" margin=\"0.12,0.07\"];\n"
        "edge [fontname=\"Helvetica,Arial,sans-serif\" fontsize=10 fontcolor=\"#333333\"];\n";
    for (size_t i = 0; i < graph_.nodes.size(); ++i) add_node(i);
    for (const GraphEdge& edge : graph_.edges) add_edge(edge);
    return text_ + "}\n";
  }

 private:
  double share(uint64_t value) const {
    return graph_.total == 0 ? 0 : static_cast<double>(value) / static_cast<double>(graph_.total);
  }

  std::string with_share(uint64_t value) const {
    return fmt::format("{} ({})", value_text(value, metric_), percent(value, graph_.total));
  }

  std::string left_out(double prune) const {
    if (graph_.pruned_nodes == 0) {
      return fmt::format("all {}", counted(graph_.nodes.size(), "function"));
    }
    std::string text = fmt::format("{} of {} functions", graph_.nodes.size(),
                                   graph_.nodes.size() + graph_.pruned_nodes);
    std::string others = graph_.too_many
                             ? " (small, or on the way to these)"
                             : fmt::format(" have less than {} each and", share_text(prune));
    bool through = std::any_of(graph_.edges.begin(), graph_.edges.end(),
                               [](const GraphEdge& edge) { return !edge.direct; });
    return fmt::format("{}; the others{} allocate {}{}", text, others,
                       with_share(graph_.pruned_self),
                       through ? "; dashed: calls through them" : "");
  }

  void add_node(size_t place) {
    const GraphNode& node = graph_.nodes[place];
    std::string name = shown_name(node.name);
    std::string label = lines_of(name);
    if (node.self > 0 && node.self < node.all) label += "itself " + with_share(node.self) + "\\n";
    label += (node.self == node.all ? "itself " : "in all ") + with_share(node.all);
    // A box's area goes with the share: its sides with the root of it.
    double size = 10 + 20 * std::sqrt(share(node.self));
    text_ += fmt::format(
        "f{} [label=\"{}\" tooltip=\"{}\" fontsize={:.1f} fillcolor=\"{}\" all={} self={}];\n",
        place, label, dot_quoted(tooltip(node, name)), size,
        between({252, 250, 246}, {240, 148, 96}, std::sqrt(share(node.all))), node.all, node.self);
  }

  std::string tooltip(const GraphNode& node, const std::string& name) const {
    std::string text = fmt::format("{}: {} in all, {} itself", name, exact_text(node.all, metric_),
                                   exact_text(node.self, metric_));
    return node.module.empty() ? text : text + "; " + shown_name(node.module);
  }

  void add_edge(const GraphEdge& edge) {
    double part = share(edge.value);
    text_ += fmt::format(
        "f{} -> f{} [label=\"   {}\" tooltip=\"{}{}\" style={} penwidth={:.2f} weight={} "
        "color=\"{}\" value={}];\n",
        edge.from, edge.to, value_text(edge.value, metric_), exact_text(edge.value, metric_),
        edge.direct ? "" : ", through functions that are left out",
        edge.direct ? "solid" : "dashed", 0.6 + 5 * part, 1 + static_cast<int>(100 * part),
        between({150, 145, 140}, {178, 58, 30}, std::sqrt(part)), edge.value);
  }

  const CallGraph& graph_;
  Metric metric_;
  std::string text_;
};

}  // namespace

std::string dot_text(ExportRequest& request, const GraphRequest& wanted) {
  CallGraph graph = make_graph(request, wanted);
  PictureHeading heading = heading_of(request, wanted.picture, graph.total);
  return Writer(graph, request.metric).write(heading, wanted.prune);
}

}  // namespace heapledger
