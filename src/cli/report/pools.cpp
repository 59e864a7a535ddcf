#include "cli/report/pools.h"

#include <algorithm>
#include <vector>

#include "cli/pages/json_parts.h"
#include "cli/pages/stack.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kMaxPools = 10;
constexpr size_t kFrames = 2;

struct Listed {
  const LedgerFacts* ledger;
  const PoolFacts* pool;
};

std::vector<Listed> all_pools(Ledgers& ledgers) {
  std::vector<Listed> all;
  for (const LedgerFacts& ledger : ledgers.facts()) {
    for (const PoolFacts& pool : ledger.pools) all.push_back({&ledger, &pool});
  }
  std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
    return a.pool->peak_bytes > b.pool->peak_bytes;
  });
  return all;
}

}  // namespace

void put_pools(Buffer& to, Ledgers& ledgers, const Page& page) {
  const std::vector<Listed> all = all_pools(ledgers);
  if (all.empty()) return;
  put_title(to, page, "pools of the program's own (their memory is in the heap's figures already)");
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:>10} {:>12} {:>11} {:>11}  {}", "peak", "calls", "allocated",
                                 "live at end", "pool, and who asks for most")));
  for (size_t i = 0; i < std::min(all.size(), kMaxPools); ++i) {
    const PoolFacts& pool = *all[i].pool;
    put(to, "  {:>10} {:>12} {:>11} {:>11}  {}\n", human_bytes(pool.peak_bytes),
        with_commas(pool.calls), human_bytes(pool.bytes), human_bytes(pool.end_bytes),
        escaped(pool.name));
    if (pool.top_site != SiteCatalog::kRoot) {
      put_stack(to, ledgers, pool.top_site, kFrames, page, std::string(51, ' '));
    }
  }
  if (all.size() > kMaxPools) {
    put(to, "  {}\n", page.style.dim(fmt::format("… and {} more", all.size() - kMaxPools)));
  }
}

Json pools_json(Ledgers& ledgers) {
  Json list = Json::array();
  for (const Listed& listed : all_pools(ledgers)) {
    Json one = pool_json(*listed.pool);
    one["pid"] = listed.ledger->pid;
    one["top_site"] = Json(nullptr);
    if (listed.pool->top_site != SiteCatalog::kRoot) {
      NamedFrame blamed = ledgers.first_interesting_frame(listed.pool->top_site);
      one["top_site"] = Json{{"site", listed.pool->top_site},
                             {"name", as_utf8(blamed.name)},
                             {"bytes", listed.pool->top_site_bytes}};
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace heapledger::cli::report
