#include "cli/heap_views.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/seal/seal_file.h"
#include "cli/core_leaks.h"
#include "cli/live_ledgers.h"
#include "cli/opened.h"
#include "cli/report.h"
#include "cores/to_ledger.h"
#include "text/text.h"

namespace heapledger {
namespace {

// The files of the program may be elsewhere on this machine.
void look_under(const std::string& sysroot, cores::LiveHeap& heap) {
  if (sysroot.empty()) return;
  for (cores::Module& module : heap.modules) {
    std::string there = sysroot + "/" + module.path;
    std::error_code ignored;
    if (!module.path.empty() && std::filesystem::exists(there, ignored)) module.path = there;
  }
}

// Sealed, with the names that this machine knows.
int keep(const std::string& raw, const HeapOptions& options, uint64_t blocks) {
  if (::access(options.out.c_str(), F_OK) == 0) {
    throw Error(options.out + ": is there already; choose another name", kExitUsage);
  }
  Opened opened({raw}, options.report.names);
  seal::SealOptions sealing;
  sealing.symbols = opened.symbols_for_sealing(0);
  seal::seal_file(raw, options.out, sealing);
  if (!options.quiet) {
    for (const std::string& text : opened.name_warnings()) fmt::print(stderr, "note: {}\n", text);
    fmt::print(stderr, "{}: {}\n", printable(options.out), counted(blocks, "live block"));
  }
  return 0;
}

}  // namespace

void add_heap_options(CLI::App& command, HeapOptions& options) {
  add_report_views(command, options.report);
  CLI::Option* out = command.add_option("-o,--output", options.out,
                                        "Make a ledger of it, that every command reads");
  out->type_name("OUT");
  command
      .add_flag("--leaks", options.leaks,
                "What the program can still reach, and what it has lost: by scanning its memory")
      ->excludes(out);
  command.add_flag("-q,--quiet", options.quiet, "Say nothing but errors");
}

void tell_problems(const std::vector<std::string>& problems, bool quiet) {
  if (quiet) return;
  Style style = Style::for_stream(fileno(stderr));
  for (const std::string& text : problems) {
    fmt::print(stderr, "{} {}\n", style.warning("note:"), printable(text));
  }
}

int show_heap(const cores::Memory& memory, cores::LiveHeap heap, const std::string& name,
              HeapOptions options) {
  options.report.names.progress = !options.quiet;
  look_under(options.sysroot, heap);
  tell_problems(heap.problems, options.quiet);
  if (options.leaks) return show_leaks(memory, heap, name, options);
  TemporaryFolder folder;
  std::string raw = folder.place_for(name);
  tell_problems(cores::write_ledger(heap, raw), options.quiet);
  if (!options.out.empty()) return keep(raw, options, heap.blocks.size());
  options.report.files = {raw};
  int exit_code = report(options.report);
  return heap.problems.empty() ? exit_code : std::max(exit_code, kExitBadData);
}

}  // namespace heapledger
