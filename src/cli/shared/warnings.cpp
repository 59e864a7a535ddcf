#include "cli/shared/warnings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/shared/exit_status.h"
#include "cli/shared/unseen_calls.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

void add_ledger(const LedgerFacts& ledger, std::vector<std::string>& texts) {
  const std::string who = escaped(short_path(ledger.path)) + ": ";
  if (ledger.still_running) {
    texts.push_back(who +
                    "the program is still running; this is how it was when the ledger was "
                    "opened.");
  }
  if (ledger.unseen) {
    texts.push_back(who + unseen_calls(ledger) + ". " + unseen_remedy(ledger));
  }
  if (ledger.unwatched) {
    texts.push_back(who +
                    "all calls are counted, but resident memory and names of threads were "
                    "not looked at any more from some point on: " +
                    *ledger.unwatched + ".");
  }
  if (ledger.stopped) {
    texts.push_back(who + "recording stopped before the program did: " + *ledger.stopped +
                    ". What came after is missing.");
  }
  if (ledger.totals.missed > 0) {
    texts.push_back(who + counted(ledger.totals.missed, "call") +
                    " could not be entered, so the figures are too low.");
  }
  if (ledger.gaps > 0) {
    std::string long_ = ledger.gap_ns > 0 ? ", " + human_duration(ledger.gap_ns) + " in all" : "";
    texts.push_back(who + "recording was off, or in another mode, for a time (" +
                    counted(ledger.gaps, "gap") + long_ +
                    "). What happened then is missing, and blocks that were freed then count as "
                    "live until their address is used again.");
  }
  if (ledger.totals.lost_frees > 0 && ledger.gaps == 0) {
    texts.push_back(who + counted(ledger.totals.lost_frees, "block") +
                    " must have been freed without an entry: the address was used again.");
  }
}

}  // namespace

std::vector<std::string> warnings(std::span<const LedgerFacts> ledgers,
                                  std::span<const Error> refusals) {
  std::vector<std::string> texts;
  for (const Error& refusal : refusals) texts.push_back(printable(refusal.what()));
  for (const LedgerFacts& ledger : ledgers) {
    for (const std::string& problem : ledger.problems) {
      texts.push_back(escaped(short_path(ledger.path)) + ": " + printable(problem));
    }
  }
  for (const LedgerFacts& ledger : ledgers) add_ledger(ledger, texts);
  if (texts.size() > kMaxWarnings) {
    size_t more = texts.size() - kMaxWarnings + 1;
    texts.resize(kMaxWarnings - 1);
    texts.push_back("and " + std::to_string(more) + " more warnings of this kind");
  }
  return texts;
}

int print_warnings(std::span<const LedgerFacts> ledgers, std::span<const Error> refusals) {
  Style style = Style::for_stream(STDERR_FILENO);
  for (const std::string& text : warnings(ledgers, refusals)) {
    std::fprintf(stderr, "%s %s\n", style.warning("warning:").c_str(), text.c_str());
  }
  bool damaged = std::any_of(ledgers.begin(), ledgers.end(),
                             [](const LedgerFacts& ledger) { return !ledger.problems.empty(); });
  if (!damaged && refusals.empty()) return 0;
  std::fputs("The figures cover what could be read.\n", stderr);
  return kExitBadData;
}

int print_warnings(Ledgers& ledgers) {
  return print_warnings(ledgers.facts(), ledgers.refusals());
}

}  // namespace heapledger::cli
