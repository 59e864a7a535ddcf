// Runs graphviz. It gets its input from a file in memory and not through a pipe, so that neither
// side ever waits for the other.
#include <string>
#include <string_view>

#include "analyzer/error.h"
#include "exporters/graph.h"
#include "exporters/program.h"

namespace heapledger {

void render_graph(const std::string& text, std::string_view format, Output& output) {
  OpenFile graph = OpenFile::in_memory(text);
  auto [from, to] = OpenFile::pipe();
  Program drawer({"dot", "-T" + std::string(format)}, {"graphviz", "write the graph as dot"},
                 graph.fd(), to.fd());
  to.close();
  bool drew = false;
  from.read_to_end([&](std::string_view bytes) {
    drew = true;
    output.write(bytes);
  });
  drawer.wait();
  if (!drew) throw Error("graphviz cannot draw this as " + std::string(format), ErrorKind::kSystem);
}

}  // namespace heapledger
