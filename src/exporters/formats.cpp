// The table of formats: a new one is a file of its own, and a line here.
#include "exporters/formats.h"

#include <array>
#include <vector>

#include "analyzer/error.h"
#include "exporters/exporter.h"
#include "text/nearest.h"

namespace heapledger {
namespace {

constexpr std::array kExporters = {
    Exporter{"collapsed",
             "collapsed",
             "a line for each stack, for flame graphs: flamegraph, speedscope",
             true,
             false,
             {.metric = true, .moment = true, .separator = true},
             write_collapsed},
};

}  // namespace

std::span<const Exporter> exporters() {
  return kExporters;
}

const Exporter& exporter_named(std::string_view name) {
  std::vector<std::string> names;
  std::string list;
  for (const Exporter& exporter : kExporters) {
    if (exporter.name == name) return exporter;
    names.emplace_back(exporter.name);
    list += (list.empty() ? "" : ", ") + std::string(exporter.name);
  }
  throw Error(
      "there is no format '" + std::string(name) + "', only " + list + did_you_mean(name, names),
      kExitUsage);
}

}  // namespace heapledger
