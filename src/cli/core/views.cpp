#include "cli/core/views.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/seal/seal_file.h"
#include "cli/core/leaks.h"
#include "cli/report/report.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/problems.h"
#include "cli/shared/raw_ledger.h"
#include "cores/to_ledger.h"
#include "text/text.h"

namespace heapledger::cli::core {
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
void keep(const cores::LiveHeap& heap, const HeapOptions& options) {
  if (::access(options.out.c_str(), F_OK) == 0) {
    throw Error(options.out + ": is there already; choose another name", ErrorKind::kQuestion);
  }
  RawLedger raw(heap, options.out, options.quiet);
  NameOptions names = options.view.names;
  names.for_sealing = true;
  Opened opened({raw.path()}, names);
  seal::SealOptions sealing;
  sealing.scanned = [&opened] { return opened.scanned(0); };
  seal::seal_file(raw.path(), options.out, sealing);
  if (options.quiet) return;
  for (const std::string& text : opened.name_warnings()) fmt::print(stderr, "note: {}\n", text);
  fmt::print(stderr, "{}: {}\n", printable(options.out), counted(heap.blocks.size(), "live block"));
}

void refuse_moments(const HeapOptions& options) {
  if (options.view.words.at.empty() && options.view.words.between.empty()) return;
  throw Error(
      "this is the heap of one moment, which has no past: --at and --between are for recordings "
      "(heapledger run). To see what changes, take two with -o and compare them: heapledger diff",
      ErrorKind::kQuestion);
}

// Returns the exit status that its problems make.
int prepare(cores::LiveHeap& heap, HeapOptions& options) {
  options.view.names.progress = !options.quiet;
  look_under(options.sysroot, heap);
  tell_problems(heap.problems, options.quiet);
  return heap.problems.empty() ? 0 : kExitBadData;
}

}  // namespace

void add_heap_options(Command& command, HeapOptions& options) {
  report::add_report_views(command, options.view);
  Option* out = command.add_option("-o,--output", options.out,
                                   "Make a ledger of it, that every command reads");
  out->type_name("OUT");
  command
      .add_flag("--leaks", options.leaks,
                "What the program can still reach, and what it has lost: by scanning its memory")
      ->excludes(out);
  command.add_flag("-q,--quiet", options.quiet, "Say nothing but errors");
}

int show_heap(const cores::Memory& memory, cores::LiveHeap heap, const std::string& name,
              HeapOptions options) {
  refuse_moments(options);
  int status = memory.is_cut() ? kExitBadData : 0;
  if (!options.leaks) return show_report(std::move(heap), name, std::move(options), status);
  status = std::max(status, prepare(heap, options));
  return std::max(status, show_leaks(memory, std::move(heap), name, options));
}

int show_report(cores::LiveHeap heap, const std::string& name, HeapOptions options, int status) {
  refuse_moments(options);
  status = std::max(status, prepare(heap, options));
  if (!options.out.empty()) {
    keep(heap, options);
    return status;
  }
  TemporaryFile file(name);
  tell_problems(cores::write_ledger(heap, file.path()), options.quiet);
  options.view.files = {file.path()};
  return std::max(status, report::report(options.view));
}

}  // namespace heapledger::cli::core
