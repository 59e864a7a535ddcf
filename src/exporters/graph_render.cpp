// Runs graphviz. It gets its input from a file in memory and not through a pipe, so that neither
// side ever waits for the other.
#include <string>
#include <string_view>

#include "analyzer/error.h"
#include "exporters/graph.h"
#include "exporters/picture_resources.h"
#include "exporters/program.h"

namespace heapledger {
namespace {

std::string with_script(std::string svg) {
  size_t end = svg.rfind("</svg>");
  if (end != std::string::npos) {
    svg.insert(end, "<script><![CDATA[\n" + std::string(kGraphScript) + "]]></script>\n");
  }
  return svg;
}

}  // namespace

void render_graph(const std::string& text, std::string_view format, Output& output) {
  OpenFile graph = OpenFile::in_memory(text);
  auto [from, to] = OpenFile::pipe();
  Program drawer({"dot", "-T" + std::string(format)}, {"graphviz", "write the graph as dot"},
                 graph.fd(), to.fd());
  to.close();
  std::string drawn;
  from.read_to_end([&](std::string_view bytes) { drawn += bytes; });
  drawer.wait();
  if (drawn.empty()) {
    throw Error("graphviz cannot draw this as " + std::string(format), ErrorKind::kSystem);
  }
  output.write(format == "svg" ? with_script(std::move(drawn)) : drawn);
}

}  // namespace heapledger
