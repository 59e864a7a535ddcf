// What ledgers that are only in memory add up to, in one value that outlives them: totals, facts,
// and every site with its figures at the peak and at the end.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/query.h"

namespace heapledger::test {

using NamedBytes = std::pair<std::string, std::string>;

struct Group : Figures {  // live figures: at the peak of all together
  uint64_t at_peak_bytes = 0;
  uint64_t at_peak_blocks = 0;
  uint64_t end_bytes = 0;
  uint64_t end_blocks = 0;
  std::vector<NamedFrame> stack;
};

struct Analysis {
  Totals totals;
  FunctionCounts by_function{};
  Counts counts;
  std::vector<LedgerFacts> ledgers;
  std::vector<Group> groups;  // by share at the peak, the largest first
  std::vector<Error> refusals;

  static const std::vector<NamedFrame>& frames(const Group& group) { return group.stack; }

  bool complete() const {
    return refusals.empty() && std::all_of(ledgers.begin(), ledgers.end(),
                                           [](const LedgerFacts& one) { return one.complete; });
  }
  bool damaged() const {
    return !refusals.empty() || std::any_of(ledgers.begin(), ledgers.end(),
                                            [](const auto& one) { return !one.problems.empty(); });
  }
};

inline Analysis analysis_of(Ledgers& ledgers) {
  const Overview& overview = ledgers.overview();
  Analysis all{overview.sums,     overview.by_function, overview.counts, overview.processes, {},
               ledgers.refusals()};
  Question question;
  question.at.kind = MomentSpec::Kind::kEnd;
  std::map<uint32_t, Figures> ends;
  for (const Row& row : ledgers.ask(question).rows) ends[row.site] = row.all;
  question.at.kind = MomentSpec::Kind::kPeak;
  for (const Row& row : ledgers.ask(question).rows) {
    Group group;
    static_cast<Figures&>(group) = row.all;
    group.at_peak_bytes = row.all.live_bytes;
    group.at_peak_blocks = row.all.live_blocks;
    group.end_bytes = ends[row.site].live_bytes;
    group.end_blocks = ends[row.site].live_blocks;
    group.stack = ledgers.frames(row.site);
    all.groups.push_back(std::move(group));
  }
  auto weight = [](const Group& g) {
    return std::tuple(g.at_peak_bytes, g.peak_bytes, g.bytes, g.calls);
  };
  std::stable_sort(all.groups.begin(), all.groups.end(),
                   [&](const Group& a, const Group& b) { return weight(a) > weight(b); });
  return all;
}

// Parents of forked processes are looked for among the same files.
inline Ledgers open_named(const std::vector<NamedBytes>& files, Options options = {}) {
  std::vector<Ledgers::Opener> openers;
  for (const auto& [name, bytes] : files) {
    openers.emplace_back([name = name, bytes = bytes] { return in_memory(name, bytes); });
  }
  options.open_parent = [files](const std::string& path) {
    for (const auto& [name, bytes] : files) {
      if (name == path) return in_memory(name, bytes);
    }
    throw Error("not there: " + path, ErrorKind::kQuestion);
  };
  return Ledgers(std::move(openers), options);
}

inline Analysis analyze_named(const std::vector<NamedBytes>& files, Options options = {}) {
  Ledgers ledgers = open_named(files, std::move(options));
  return analysis_of(ledgers);
}

inline Analysis analyze_bytes(std::string_view bytes) {
  return analyze_named({{"test.ledger", std::string(bytes)}});
}

inline Analysis analyze(const std::vector<std::string>& paths) {
  Ledgers ledgers(paths, {});
  return analysis_of(ledgers);
}

}  // namespace heapledger::test
