#include "analyzer/query/processes.h"

#include <algorithm>
#include <map>
#include <string>

namespace heapledger {
namespace {

// Of hosts and jobs: node1 is not node17.
bool is_the_name(const std::string& pattern, const std::string& name) {
  const bool is_pattern = pattern.find_first_of("*?[") != std::string::npos;
  return is_pattern ? matches(pattern, name) : pattern == name;
}

template <typename Fits>
bool fits_patterns(const Patterns& patterns, const Fits& fits) {
  const bool in = patterns.in.empty() || std::any_of(patterns.in.begin(), patterns.in.end(), fits);
  return in && std::none_of(patterns.out.begin(), patterns.out.end(), fits);
}

bool process_fits(const Filter& filter, const LedgerFacts& facts) {
  auto has_rank = [&facts](const std::string& ranks) {
    return facts.rank && parse_ranks(ranks).holds(*facts.rank);
  };
  auto has_host = [&facts](const std::string& one) { return is_the_name(one, facts.host); };
  auto has_job = [&facts](const std::string& one) { return is_the_name(one, facts.job); };
  return fits_patterns(filter.ranks, has_rank) && fits_patterns(filter.hosts, has_host) &&
         fits_patterns(filter.jobs, has_job);
}

}  // namespace

std::vector<char> chosen_processes(const Question& question, size_t ledgers, const FactsOf& facts) {
  const bool one = question.ledger && ledgers > 1;
  std::vector<char> chosen;
  if (!one && !question.filter.on_processes()) return chosen;
  for (uint32_t i = 0; i < ledgers; ++i) {
    const bool asked = !one || i == *question.ledger;
    chosen.push_back(asked && process_fits(question.filter, facts(i)) ? 1 : 0);
  }
  return chosen;
}

bool is_by_process(GroupBy by) {
  return by == GroupBy::kLedger || by == GroupBy::kRank || by == GroupBy::kHost ||
         by == GroupBy::kJob;
}

ProcessGroups group_processes(GroupBy by, size_t ledgers, const FactsOf& facts) {
  ProcessGroups groups;
  std::map<std::string, uint32_t> known;
  for (uint32_t i = 0; i < ledgers; ++i) {
    Row row;
    if (by == GroupBy::kLedger) {
      row.name = std::to_string(i);
    } else {
      describe_process_group(by, facts(i), row);
    }
    const auto count = static_cast<uint32_t>(groups.first.size());
    const auto [found, is_new] = known.try_emplace(std::move(row.name), count);
    if (is_new) groups.first.push_back(i);
    groups.of_ledger.push_back(found->second);
  }
  return groups;
}

void describe_process_group(GroupBy by, const LedgerFacts& facts, Row& row) {
  if (by == GroupBy::kRank) {
    row.key = facts.rank.value_or(kNoRank);
    row.name = facts.rank ? "rank " + std::to_string(*facts.rank) : "[no rank]";
  } else {
    const std::string& name = by == GroupBy::kHost ? facts.host : facts.job;
    const char* const none = by == GroupBy::kHost ? "[no host]" : "[no job]";
    row.name = name.empty() ? none : name;
  }
}

}  // namespace heapledger
