// Who owns the memory, as a call graph: every function is a node, from callers to those that
// allocate. Wrappers of malloc and the standard library are no owners: stacks end before them. A
// node has what the report has for its function, recursion counted once; an edge has what is on
// stacks with that call, each stack once. Small ones are left out, and how much that is can be
// told; what calls through them has an edge that says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/exporter.h"
#include "exporters/picture_text.h"

namespace heapledger {

struct GraphRequest {
  PictureRequest picture;
  size_t boxes = 40;      // at most: those that allocate or branch most
  double prune = 0.01;    // functions and calls with less than this share are left out
  bool wrappers = false;  // with what lies between the function that allocates and malloc
};

struct GraphNode {
  std::string name;
  std::string module;
  uint64_t all = 0;
  uint64_t self = 0;
};

struct GraphEdge {
  uint32_t from = 0;  // places in CallGraph::nodes
  uint32_t to = 0;
  uint64_t value = 0;
  bool direct = true;  // otherwise through functions that are left out
};

struct CallGraph {
  std::vector<GraphNode> nodes;  // the largest first
  std::vector<GraphEdge> edges;
  uint64_t total = 0;
  uint64_t pruned_nodes = 0;
  uint64_t pruned_self = 0;  // what they allocate themselves
  uint64_t pruned_edges = 0;
  bool too_many = false;  // not only small ones are left out
};

CallGraph make_graph(ExportRequest& request, const GraphRequest& wanted);

// In the language of graphviz.
std::string dot_text(ExportRequest& request, const GraphRequest& wanted);

// `format`: dot (or gv), or svg, pdf, ps, which graphviz draws. Throws Error when it is not here.
void write_graph(ExportRequest& request, const GraphRequest& wanted, std::string_view format,
                 Output& output);

// Has graphviz draw a text of dot_text().
void render_graph(const std::string& text, std::string_view format, Output& output);

}  // namespace heapledger
