// `heapledger seal`: compresses ledgers for keeping, and stores the names of their functions.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/seal/seal_file.h"
#include "cli/commands.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/problems.h"
#include "cli/shared/progress_line.h"
#include "cli/shared/raw_ledger.h"
#include "cores/ledger_memory.h"
#include "text/text.h"

namespace heapledger::cli::files {
namespace {

struct SealCommand {
  std::vector<std::string> files;
  std::string out;
  int level = seal::kDefaultLevel;
  bool quiet = false;
  bool symbols = false;     // look those of sealed ledgers up anew
  bool no_symbols = false;  // store none
  NameOptions names;
};

std::string outcome(const std::string& path, const seal::SealFacts& facts) {
  std::string text = fmt::format("{}: {} → {}", printable(path), human_bytes(facts.raw_bytes),
                                 human_bytes(facts.sealed_bytes));
  if (facts.entries > 0) {
    text += fmt::format(", {:.1f} bytes an entry", static_cast<double>(facts.sealed_bytes) /
                                                       static_cast<double>(facts.entries));
  }
  return text;
}

// The names for the frames of a ledger, and what else a scan tells; says what is wrong with them.
std::unique_ptr<Opened> scan(const std::string& path, const SealCommand& command) {
  NameOptions names = command.names;
  names.for_sealing = true;
  auto opened = std::make_unique<Opened>(NamedLedgers{{path}}, names);
  if (!command.quiet) {
    for (const std::string& text : opened->name_warnings()) {
      fmt::print(stderr, "{}: note: {}\n", printable(path), text);
    }
  }
  return opened;
}

void refresh_one(const std::string& path, const SealCommand& command) {
  if (!command.out.empty())
    throw Error(path + ": is sealed already; copy it", ErrorKind::kQuestion);
  if (!command.symbols) {
    if (!command.quiet) fmt::print(stderr, "{}: is sealed already\n", printable(path));
    return;
  }
  seal::replace_symbols(path, scan(path, command)->scanned(0).symbols);
  if (!command.quiet) fmt::print(stderr, "{}: symbols stored anew\n", printable(path));
}

// A ledger of live mode becomes an ordinary one.
void seal_live(const std::string& path, const std::string& target, const SealCommand& command) {
  std::optional<cores::LiveHeap> heap = cores::read_live_ledger(path);
  if (!heap) PlainLedgers says_why({path});
  tell_problems(heap.value().problems, command.quiet);
  RawLedger raw(heap.value(), target, command.quiet);
  seal::SealOptions options;
  options.level = command.level;
  if (!command.no_symbols) options.scanned = [&] { return scan(raw.path(), command)->scanned(0); };
  seal::SealFacts facts = seal::seal_file(raw.path(), target, options);
  if (!command.quiet) fmt::print(stderr, "{}\n", outcome(target, facts));
}

void seal_one(const std::string& path, const SealCommand& command) {
  const std::string& target = command.out.empty() ? path : command.out;
  if (seal::is_sealed_file(path)) {
    refresh_one(path, command);
    return;
  }
  seal::SealOptions options;
  options.level = command.level;
  seal::check_not_in_use(path);  // before names are looked up, which takes long
  if (cores::is_live_ledger(path) && (!command.out.empty() || !make_plain(path))) {
    return seal_live(path, target, command);
  }
  std::unique_ptr<Opened> opened;
  if (!command.no_symbols) {
    opened = scan(path, command);
    options.scanned = [&opened] { return opened->scanned(0); };
  }
  ProgressLine line(!command.quiet);
  options.progress = [&line](uint64_t done, uint64_t total) {
    line.update(done, total, "sealing");
  };
  seal::SealFacts facts = seal::seal_file(path, target, options);
  if (opened && target == path) opened->ledgers().keep_first_pass();
  line.clear();
  if (!command.quiet) fmt::print(stderr, "{}\n", outcome(target, facts));
}

// One ledger that cannot be sealed does not keep the others from it.
int seal_all(const SealCommand& command) {
  std::vector<std::string> paths = find_ledger_paths({command.files, true});
  if (!command.out.empty() && paths.size() != 1) {
    throw Error("-o takes one ledger; without it each is sealed in its place",
                ErrorKind::kQuestion);
  }
  if (paths.size() == 1) {
    seal_one(paths.front(), command);
    return 0;
  }
  std::vector<Error> failures;
  for (const std::string& path : paths) {
    try {
      seal_one(path, command);
    } catch (const Error& error) {
      failures.push_back(error);
    }
  }
  if (!failures.empty()) throw all_of(failures);
  return 0;
}

}  // namespace

void add_seal(Command& app, int& exit_code) {
  auto command = std::make_shared<SealCommand>();
  Command* sub = app.add_subcommand("seal", "Compress ledgers for keeping");
  sub->add_option("FILE", command->files, "Ledgers, or folders with ledgers")
      ->required()
      ->type_name("");
  sub->add_option("-o,--output", command->out,
                  "Write the sealed ledger there and leave FILE as it is")
      ->type_name("OUT");
  sub->add_option("--level", command->level, "How hard zstd tries, 1 to 19 (default: 3)")
      ->type_name("N")
      ->within(seal::kMinLevel, seal::kMaxLevel);
  auto* refresh = sub->add_flag("--symbols", command->symbols,
                                "Look up anew the names that sealed ledgers have stored");
  sub->add_flag("--no-symbols", command->no_symbols, "Store no names")->excludes(refresh);
  add_debug_options(*sub, command->names);
  sub->add_flag("-q,--quiet", command->quiet, "Say nothing but errors");
  sub->footer(
      "A sealed ledger takes a fraction of the space and gives the same answers; every command\n"
      "reads it like a raw one. It takes the place of FILE in one step, when it is complete: "
      "until\n"
      "then, and whatever goes wrong, FILE stays as it is. A ledger that a program is still\n"
      "writing is refused. heapledger run seals its ledgers itself, unless told not to.\n\n"
      "Functions, files and lines are stored in it, as this machine knows them, so that it shows "
      "the\n"
      "same on another. Of a program that was built anew since, none are taken. --symbols "
      "replaces\n"
      "them later, say after debug packages were installed; what is not known any more stays.\n\n"
      "The exit status is 0, 1 when the result cannot be written, 2 when the command or a file\n"
      "name is wrong, or 3 when a file is not a ledger.\n\n"
      "Examples:\n"
      "  heapledger seal server.4711.ledger\n"
      "  heapledger seal --level 9 -o /archive/server.ledger server.4711.ledger\n"
      "  heapledger seal --symbols --debuginfod server.4711.ledger");
  sub->callback([command, &exit_code] {
    command->names.progress = !command->quiet;
    command->names.refresh = command->symbols;
    exit_code = seal_all(*command);
  });
}

}  // namespace heapledger::cli::files
