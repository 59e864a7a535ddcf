// Ledgers: at which level a question is answered best, and how its groups came and went.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/shared_pass.h"

namespace heapledger {

std::vector<uint32_t> Ledgers::Parts::lines_of(const Question& question, const Counted& counted,
                                               const std::vector<Row>& rows) const {
  std::unordered_map<uint32_t, uint32_t> row_of_site;
  for (uint32_t i = 0; i < rows.size(); ++i) row_of_site.try_emplace(rows[i].site, i);
  const size_t groups = counted.grouping != nullptr ? counted.grouping->groups.size() : 0;
  std::vector<uint32_t> row_of(std::max(sites.size(), groups), UINT32_MAX);
  auto group_of = [&](uint32_t account) {
    return is_by_stack(question) ? counted.grouping->self[account] : account;
  };
  for (uint32_t account = 0; account < sites.size(); ++account) {
    auto row = row_of_site.find(sites[account]);
    if (row != row_of_site.end() && group_of(account) != Grouping::kNone) {
      row_of[group_of(account)] = row->second;
    }
  }
  std::vector<uint32_t> lines(sites.size(), UINT32_MAX);  // in whichever heap
  for (uint32_t account = 0; account < sites.size(); ++account) {
    if (group_of(account) != Grouping::kNone) lines[account] = row_of[group_of(account)];
  }
  return lines;
}

GroupsOverTime Ledgers::over_time(const Question& question) {
  GroupsOverTime found;
  SharedPass pass(*this, question);
  pass.over_time(question, found);
  pass.run();
  return found;
}

Answer Ledgers::explain(Question& question, size_t parts_wanted, unsigned enough_percent) {
  question.by = GroupBy::kOwner;
  Answer owners = ask(question);
  const uint64_t whole = value_of(owners.totals, question.sort);
  uint64_t owned = 0;
  for (const Row& row : owners.rows) owned += value_of(row.all, question.sort);
  if (owned * 100 >= whole * enough_percent) return owners;
  const size_t top = std::exchange(question.top, parts_wanted);
  question.by = GroupBy::kPart;
  Answer parts = ask(question);
  const bool has_rest = !parts.rows.empty() && parts.rows.back().is_rest;
  const uint64_t rest = has_rest ? value_of(parts.rows.back().all, question.sort) : 0;
  if (whole - rest > owned) return parts;
  question.by = GroupBy::kOwner;
  question.top = top;
  return owners;
}

}  // namespace heapledger
