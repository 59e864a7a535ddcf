// `heapledger import`: recordings of other tools, made ledgers.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "analyzer/error.h"
#include "analyzer/seal/seal_file.h"
#include "cli/commands.h"
#include "cli/shared/file_beside.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/progress_line.h"
#include "importers/importer.h"
#include "text/text.h"

namespace heapledger::cli::files {
namespace {

struct ImportOptions {
  std::string file;
  std::string out;
  bool quiet = false;
  NameOptions names;
};

// Recordings without names get those that this machine knows.
seal::Scanned scan(const std::string& path, const ImportOptions& options) {
  NameOptions names = options.names;
  names.for_sealing = true;
  Opened opened({path}, names);
  if (!options.quiet) {
    for (const std::string& text : opened.name_warnings()) fmt::print(stderr, "note: {}\n", text);
  }
  return opened.scanned(0);
}

void say(const ImportOptions& options, const Imported& imported) {
  std::string amount = imported.amount;
  if (amount.empty()) {
    amount = counted(imported.calls, "call") + ", " + counted(imported.frees, "free");
  }
  fmt::print(stderr, "{}: {} from {} ({})\n", printable(options.out), amount,
             printable(options.file), printable(imported.what));
  for (const std::string& text : imported.notes) fmt::print(stderr, "note: {}\n", text);
  if (imported.unmatched > 0) {
    fmt::print(stderr, "note: {} of blocks that were allocated before the recording began\n",
               counted(imported.unmatched, "free"));
  }
  if (imported.cut_short) {
    fmt::print(stderr, "note: {} ends in the middle: what is there was imported\n",
               printable(options.file));
  }
}

int run_import(const ImportOptions& options) {
  if (::access(options.out.c_str(), F_OK) == 0) {
    throw Error(options.out + ": is there already; choose another name", ErrorKind::kQuestion);
  }
  FileBeside raw(options.out);
  ProgressLine line(!options.quiet);
  Imported imported = import_recording(
      options.file, raw.path(),
      [&line](uint64_t done, uint64_t total) { line.update(done, total, "reading"); });
  line.clear();
  seal::SealOptions sealing;
  sealing.symbols = std::move(imported.symbols);
  if (sealing.symbols.empty()) sealing.scanned = [&] { return scan(raw.path(), options); };
  seal::seal_file(raw.path(), options.out, sealing);
  if (!options.quiet) say(options, imported);
  return 0;
}

}  // namespace

void add_import(Command& app, int& exit_code) {
  auto options = std::make_shared<ImportOptions>();
  Command* command = app.add_subcommand("import", "Make a ledger of another tool's recording");
  command->add_option("FILE", options->file, "The recording: of heaptrack, massif or DHAT")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", options->out, "The ledger to be made")
      ->required()
      ->type_name("OUT");
  add_debug_options(*command, options->names);
  command->add_flag("-q,--quiet", options->quiet, "Say nothing but errors");
  command->footer(
      "Reads what heaptrack has recorded, raw or interpreted, and files of Valgrind's massif and\n"
      "DHAT, as they are or compressed (.gz, .zst). The ledger is sealed, and every command reads\n"
      "it. It has the names that the recording has; for a raw one of heaptrack they are looked up\n"
      "on this machine. All is one thread, as none of these tools tells threads apart. Massif has\n"
      "snapshots and no calls, DHAT has sums of stacks and no times: the manual says what of such\n"
      "a ledger means something.\n\n"
      "The exit status is 0, 1 when the ledger cannot be written, 2 when the command is wrong, or\n"
      "3 when the file is not a recording that can be read.\n\n"
      "Example:\n"
      "  heapledger import heaptrack.server.4711.zst -o server.ledger\n"
      "  heapledger import massif.out.4711 -o server.ledger");
  command->callback([options, &exit_code] {
    options->names.progress = !options->quiet;
    exit_code = run_import(*options);
  });
}

}  // namespace heapledger::cli::files
