#include "cli/replay/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "analyzer/error.h"
#include "cli/asking/asked.h"
#include "cli/asking/known_words.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/progress_line.h"
#include "cli/shared/warnings.h"
#include "text/text.h"

namespace heapledger::cli::replay {
namespace {

constexpr size_t kMostListed = 20;

std::string list_of(const std::vector<LedgerFacts>& ledgers) {
  std::vector<const LedgerFacts*> order;
  order.reserve(ledgers.size());
  for (const LedgerFacts& one : ledgers) order.push_back(&one);
  std::sort(order.begin(), order.end(), [](const LedgerFacts* a, const LedgerFacts* b) {
    return a->totals.peak_bytes > b->totals.peak_bytes;
  });
  std::string list;
  for (size_t i = 0; i < std::min(order.size(), kMostListed); ++i) {
    const LedgerFacts& one = *order[i];
    list +=
        fmt::format("\n  process {:<8} peak {:>10}  {}", one.pid,
                    human_bytes(one.totals.peak_bytes), escaped(short_path(shown_path(one.path))));
  }
  if (order.size() > kMostListed) {
    list += fmt::format("\n  and {} more", order.size() - kMostListed);
  }
  return list;
}

}  // namespace

uint32_t chosen_ledger(const std::vector<LedgerFacts>& ledgers, const ReplayOptions& options) {
  if (!options.process) {
    if (ledgers.size() == 1) return 0;
    throw Error("one process is played, and these are " + std::to_string(ledgers.size()) +
                    ": name the file, or take --process PID, or --worst peak" + list_of(ledgers),
                ErrorKind::kQuestion);
  }
  std::vector<LedgerFacts> found;
  uint32_t number = 0;
  for (uint32_t i = 0; i < ledgers.size(); ++i) {
    if (ledgers[i].pid != *options.process) continue;
    found.push_back(ledgers[i]);
    number = i;
  }
  if (found.size() == 1) return number;
  if (found.empty()) {
    throw Error("none of the ledgers is of process " + std::to_string(*options.process) + ":" +
                    list_of(ledgers),
                ErrorKind::kQuestion);
  }
  throw Error("process " + std::to_string(*options.process) +
                  " has run several programs, one after the other: name the file" + list_of(found),
              ErrorKind::kQuestion);
}

ReplayLedger::ReplayLedger(const ReplayOptions& options)
    : plain_(find_ledger_paths(options.files)) {
  Options reading;
  reading.asker.progress = a_line_for_each_pass();
  std::vector<Ledgers::Opener> openers;
  for (const std::string& path : plain_.paths()) {
    openers.emplace_back([path] { return open_shown(path); });
  }
  ledgers_ = std::make_unique<Ledgers>(std::move(openers), reading);
  ledgers_->overview();
  number_ = options.worst.empty()
                ? chosen_ledger(ledgers_->facts(), options)
                : ledgers_->worst(understand_measure(options.worst, worst_words()));
  expect_playable(facts());
}

int ReplayLedger::warn() {
  std::fflush(stdout);
  return print_warnings({&facts(), 1}, ledgers_->refusals());
}

}  // namespace heapledger::cli::replay
