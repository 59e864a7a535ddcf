#include "analyzer/query/where_rss.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analyzer/ledger_facts.h"

namespace heapledger {

std::string other_malloc(const std::vector<LedgerFacts>& ledgers) {
  static constexpr std::array<std::string_view, 11> kOthers = {
      "jemalloc", "tcmalloc", "mimalloc", "tbbmalloc", "snmalloc", "rpmalloc",
      "libhoard", "scudo",    "libasan",  "ld-musl",   "libc.musl"};
  for (const LedgerFacts& ledger : ledgers) {
    for (const ModuleFacts& module : ledger.modules) {
      std::string_view base = module.path;
      size_t slash = base.rfind('/');
      if (slash != std::string_view::npos) base.remove_prefix(slash + 1);
      bool is_other = std::any_of(kOthers.begin(), kOthers.end(), [base](std::string_view other) {
        return base.find(other) != std::string_view::npos;
      });
      if (is_other) return module.path;
    }
  }
  return "";
}

std::string_view name_of(RssPart part) {
  static constexpr std::array<std::string_view, kRssParts> kNames = {
      "live",          "rounding",   "not-resident", "pinned", "free",     "mappings",
      "thread-stacks", "main-stack", "code",         "files",  "recorder", "unexplained"};
  return kNames[static_cast<size_t>(part)];
}

}  // namespace heapledger
