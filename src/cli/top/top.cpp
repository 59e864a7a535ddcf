// `heapledger top`: a running program's heap, as a screen that refreshes.
#include <memory>
#include <string>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/query/filter.h"
#include "cli/commands.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "cli/top/pages.h"
#include "cli/top/watch.h"
#include "text/text.h"

namespace heapledger::cli::top {
namespace {

constexpr size_t kPaperRows = 20;
constexpr uint64_t kShortestNs = 10'000'000;

struct TopOptions {
  uint32_t pid = 0;
  std::string interval = "1s";
  std::string sort = "live";
  std::string by = "site";
  std::string filter;
  bool reverse = false;
  bool once = false;
  bool json = false;
  uint64_t batch = 0;
  size_t top = SIZE_MAX;
  NameOptions names;
};

TopState state_of(const TopOptions& options) {
  TopState state;
  state.interval_ns = parse_duration(options.interval);
  if (state.interval_ns < kShortestNs) {
    throw Error("the interval must be 10ms or longer", ErrorKind::kQuestion);
  }
  for (const TopSortRow& row : top_sorts()) {
    if (row.word == options.sort) state.choice.sort = row.sort;
  }
  state.choice.by = options.by == name_of(TopBy::kFunction) ? TopBy::kFunction : TopBy::kSite;
  state.choice.filter = options.filter;
  state.choice.reverse = options.reverse;
  return state;
}

int run_top(const TopOptions& options) {
  if (options.json && !options.once && options.batch == 0) {
    throw Error("--json needs --once or --batch N", ErrorKind::kQuestion);
  }
  TopState state = state_of(options);
  TopReader reader(options.pid, options.names);
  TopReading first = reader.read();
  if (!options.once && options.batch == 0) return watch_top(reader, std::move(first), state);
  TopPages pages;
  pages.count = options.once ? 1 : options.batch;
  pages.json = options.json;
  pages.most = options.top;
  if (pages.most == SIZE_MAX && !options.json) pages.most = kPaperRows;
  return print_top(reader, first, state, pages);
}

void add_choices(Command& command, TopOptions& options) {
  command
      .add_option("--sort", options.sort,
                  "By live bytes (default), growth since top began, rate of allocation, blocks or "
                  "name")
      ->one_of(top_sort_words())
      ->type_name("live|growth|rate|blocks|name");
  command.add_flag("--reverse", options.reverse, "Sort the other way round");
  command
      .add_option("--by", options.by,
                  "Rows are sites (default), or the functions to blame for them")
      ->one_of({"site", "function"})
      ->type_name("site|function");
  command.add_option("--filter", options.filter, "Only stacks with this text in them")
      ->type_name("TEXT");
}

}  // namespace

void add_top(Command& app, int& exit_code) {
  auto options = std::make_shared<TopOptions>();
  Command* command =
      app.add_subcommand("top", "The live heap of a running program, on a screen that refreshes");
  command->add_option("PID", options->pid, "A process that runs with --mode live")
      ->required()
      ->type_name("");
  command->add_option("--interval", options->interval, "Time between readings (default: 1s)")
      ->type_name("TIME");
  add_choices(*command, *options);
  Option* once =
      command->add_flag("--once", options->once, "Print one screen as text: no terminal is needed");
  command->add_option("--batch", options->batch, "Print so many screens as text")
      ->type_name("N")
      ->within(1, 1e9)
      ->excludes(once);
  command->add_option("--top", options->top, "Print so many rows (default: 20; JSON: all)")
      ->type_name("N");
  command->add_flag("--json", options->json, "With --once or --batch: an object on a line each");
  command->add_flag("--raw-names", options->names.raw_names,
                    "Names as the debug information has them, not shortened");
  add_debug_options(*command, options->names);
  command->footer(
      "Keys: q quit, s sort, r reverse, / filter, g functions, arrows and Enter: a row's stack,\n"
      "p pause, + - interval, h help.\n\n"
      "The program must have been started in live mode: heapledger run --mode live -- CMD. It is\n"
      "not stopped, and pays nothing for being watched.\n\n"
      "Examples:\n"
      "  heapledger top 4711\n"
      "  heapledger top 4711 --sort growth --by function\n"
      "  heapledger top 4711 --once --json | jq .total.live_bytes");
  command->callback([options, &exit_code] { exit_code = run_top(*options); });
}

}  // namespace heapledger::cli::top
