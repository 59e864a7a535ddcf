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
             false,
             {.metric = true, .moment = true, .separator = true, .suppressions = true},
             write_collapsed},
    Exporter{"pprof",
             "pb.gz",
             "a profile for pprof: allocated in all, and in use at the moment",
             false,
             false,
             false,
             {.moment = true},
             write_pprof},
    Exporter{"speedscope",
             "speedscope.json",
             "flame graphs for speedscope, one for each metric",
             true,
             false,
             false,
             {.metric = true, .moment = true, .suppressions = true},
             write_speedscope},
    Exporter{"tsv",
             "tsv",
             "a table with tabs: a row for each site, or for each call",
             true,
             false,
             false,
             {.moment = true, .separator = true, .entries = true},
             write_tsv},
    Exporter{"csv",
             "csv",
             "the same with commas, for spreadsheets",
             true,
             false,
             false,
             {.moment = true, .separator = true, .entries = true},
             write_csv},
    Exporter{"json",
             "json",
             "the same as JSON, with stacks frame by frame",
             true,
             false,
             false,
             {.moment = true, .entries = true},
             write_json},
    Exporter{"sqlite",
             "sqlite",
             "a database: sites, stacks, accounts, blocks, threads, time; sqlite3",
             false,
             true,
             false,
             {.entries = true},
             write_sqlite},
    Exporter{"parquet",
             "parquet",
             "a folder of tables for engines that read many: DuckDB, Spark, Trino",
             false,
             true,
             true,
             {.moment = true, .entries = true},
             write_parquet},
    Exporter{"heaptrack",
             "heaptrack",
             "every block, for heaptrack_print and heaptrack_gui",
             true,
             false,
             false,
             {},
             write_heaptrack},
    Exporter{"firefox",
             "firefox.json",
             "every block over time, for the Firefox Profiler",
             true,
             false,
             false,
             {.range = true},
             write_firefox},
    Exporter{"massif",
             "massif.out",
             "the heap over time with trees at some moments, for ms_print and massif-visualizer",
             true,
             false,
             false,
             {},
             write_massif},
    Exporter{"callgrind",
             "callgrind.out",
             "functions, lines and calls, for callgrind_annotate and kcachegrind",
             true,
             false,
             false,
             {.moment = true, .suppressions = true},
             write_callgrind},
    Exporter{"dhat",
             "dhat.json",
             "stacks with lifetimes, for DHAT's page dh_view.html",
             true,
             false,
             false,
             {},
             write_dhat},
    Exporter{"dot",
             "dot",
             "a call graph of the larger functions, for graphviz",
             true,
             false,
             false,
             {.metric = true, .moment = true, .suppressions = true},
             write_dot},
    Exporter{"svg",
             "svg",
             "the same drawn by graphviz, as SVG",
             true,
             false,
             false,
             {.metric = true, .moment = true, .suppressions = true},
             write_svg},
    Exporter{"pdf",
             "pdf",
             "the same drawn by graphviz, as PDF",
             false,
             false,
             false,
             {.metric = true, .moment = true, .suppressions = true},
             write_pdf},
    Exporter{"ps",
             "ps",
             "the same drawn by graphviz, as PostScript",
             true,
             false,
             false,
             {.metric = true, .moment = true, .suppressions = true},
             write_ps},
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
      ErrorKind::kQuestion);
}

}  // namespace heapledger
