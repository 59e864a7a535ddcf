// `heapledger advise`: what a ledger says about the code.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advice/advice.h"
#include "analyzer/error.h"
#include "cli/advise/json.h"
#include "cli/advise/text.h"
#include "cli/commands.h"
#include "cli/pages/page.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/shared/pager.h"
#include "cli/shared/progress_line.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::advise {
namespace {

constexpr size_t kDefaultTop = 10;

struct AdviseOptions {
  std::string file = ".";
  bool all_runs = false;
  std::optional<size_t> top;
  std::vector<std::string> only;
  bool no_replay = false;
  size_t rounds = 0;
  bool json = false;
  bool no_pager = false;
  NameOptions names;
};

Rule understand_rule(const std::string& word) {
  try {
    return parse_rule(word);
  } catch (const Error& error) {
    std::vector<std::string> words;
    for (size_t i = 0; i < kRules; ++i) words.emplace_back(name_of(static_cast<Rule>(i)));
    std::string near = nearest_word(word, words);
    throw Error(error.what() + (near.empty() ? "" : ". Is it " + near + "?"), ErrorKind::kQuestion);
  }
}

AdviceOptions advice_options(const AdviseOptions& options) {
  AdviceOptions advising;
  for (const std::string& word : options.only) advising.only.push_back(understand_rule(word));
  advising.top = options.top.value_or(options.json ? SIZE_MAX : kDefaultTop);
  if (advising.top == 0) advising.top = SIZE_MAX;
  advising.replay = !options.no_replay;
  advising.rounds = options.rounds;
  return advising;
}

// Of several processes the one with most calls: sites, peaks and replays are those of one.
std::unique_ptr<Opened> open_one(const AdviseOptions& options) {
  auto opened =
      std::make_unique<Opened>(NamedLedgers({options.file}, options.all_runs), options.names);
  const std::vector<LedgerFacts>& facts = opened->ledgers().facts();
  if (facts.size() < 2) return opened;
  std::string path = facts.at(opened->ledgers().worst(Measure::kCalls)).path;
  std::fprintf(stderr, "%s of %zu processes this is about the one with most calls: %s\n",
               Style::for_stream(2).warning("note:").c_str(), facts.size(),
               escaped(short_path(path)).c_str());
  return std::make_unique<Opened>(NamedLedgers{path}, options.names);
}

int advise_on(const AdviseOptions& options) {
  AdviceOptions advising = advice_options(options);
  std::unique_ptr<Opened> opened = open_one(options);
  ProgressLine line;
  advising.progress = [&line](uint64_t done, uint64_t total) {
    line.count(done, total, "replaying", "play");
  };
  Advice advice = heapledger::advise(opened->ledgers(), advising);
  line.clear();
  std::string text = options.json ? advice_json(advice, opened->ledgers())
                                  : advice_text(advice, opened->ledgers(), Page::for_stdout());
  Paged paged(options.no_pager || options.json);
  paged.write(text);
  paged.finish();
  return opened->warn();
}

void add_options(Command& command, AdviseOptions& options) {
  command
      .add_option(
          "FILE", options.file,
          "A ledger, or a folder with ledgers (default: the newest run in the current folder)")
      ->type_name("");
  add_all_runs_option(command, options.all_runs);
  command.add_option("--top", options.top, "How many findings (default: 10), 0 for all")
      ->type_name("N");
  command
      .add_option("--only", options.only,
                  "Only these rules: grown-by-steps, temporary, many-equal, over-aligned, "
                  "over-sized, freed-elsewhere, never-freed-growth, early, "
                  "fragmentation")
      ->delimiter(',')
      ->type_name("RULE,…")
      ->allow_extra_args(false);
  command.add_flag("--no-replay", options.no_replay, "Measure no effects, only look");
  command
      .add_option("--rounds", options.rounds,
                  "How often each replay is made (default: 3 to 11, for some seconds)")
      ->type_name("N")
      ->within(1, 1000);
  command.add_flag("--json", options.json, "Print JSON, with all findings");
  Paged::add_option(command, options.no_pager);
  add_name_options(command, options.names);
}

}  // namespace

void add_advise(Command& app, int& exit_code) {
  auto options = std::make_shared<AdviseOptions>();
  Command* command =
      app.add_subcommand("advise", "Say what could be done better, by rules, with evidence");
  add_options(*command, *options);
  command->footer(
      "Each finding names a line, what was seen there, what to do, and what that would save at "
      "the\n"
      "most. Where a replay can try it, the ledger is played with and without, against the\n"
      "allocator it was recorded with.\n\n"
      "Examples:\n"
      "  heapledger advise app.ledger\n"
      "  heapledger advise app.ledger --only grown-by-steps,temporary --top 0\n"
      "  heapledger advise app.ledger --no-replay --json\n\n"
      "The exit status is 0 whether or not there is something to say, 2 when the command or a "
      "file\n"
      "name is wrong, or 3 when the ledger is damaged or does not have every call.");
  command->callback([options, &exit_code] { exit_code = advise_on(*options); });
}

}  // namespace heapledger::cli::advise
