// The objects that the JSON of a report is made of.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "text/json_text.h"

namespace heapledger::cli {

Json text_or_null(const std::string& text);
Json totals_json(const Overview& overview);
Json functions_json(const FunctionCounts& counts);
// `whole`: with what only reading all of it tells.
Json ledger_json(const LedgerFacts& ledger, bool whole);
Json moments_json(Ledgers& ledgers);
// `top`: as many are listed; SIZE_MAX: all.
Json question_json(const Asked& asked, size_t top);
Json series_json(const Overview& overview);
Json sizes_json(const Overview& overview);
Json suppressions_json(const NeverFreed& found);

// One object for each call, the innermost first; functions inlined into it are inside.
Json frames_json(const std::vector<NamedFrame>& frames);

// The frames of many stacks, each once: a stack is a list of places in it.
class FrameTable {
 public:
  Json stack(const std::vector<NamedFrame>& frames);
  const std::vector<Json>& frames() const { return frames_; }

 private:
  std::unordered_map<std::string, size_t> places_;
  std::vector<Json> frames_;
};

// A site with the fields that it has had from the first schema on.
Json group_json(Ledgers& ledgers, const Row& at_peak, const Figures& at_end, FrameTable& table);

// One that is never freed, by the number of its site; its stack is that of the group.
Json never_freed_json(const Row& row);

// Without a table, a site has its frames itself.
Json row_json(Ledgers& ledgers, const Question& question, const Row& row,
              FrameTable* table = nullptr);
Json block_json(Ledgers& ledgers, const BlockFacts& block, FrameTable& table);
Json node_json(const TreeNode& node, bool only_live);

}  // namespace heapledger::cli
