// Ledgers: what each site has in each process. No answer of rows: there may be many, and whoever
// wants them writes one after the other.
#include <algorithm>
#include <numeric>

#include "analyzer/query.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/tally.h"

namespace heapledger {
namespace {

// By ledger and account; of a single ledger accounts are cells.
std::vector<ThreadId> cells_of_accounts(uint32_t count) {
  std::vector<ThreadId> cells;
  for (uint32_t i = 0; i < count; ++i) cells.emplace_back(0, i);
  return cells;
}

}  // namespace

void Ledgers::accounts_by_process(
    const Question& asked,
    const std::function<void(uint32_t ledger, uint32_t site, const Figures&)>& use) {
  Turn turn(*this);
  Parts& parts = *parts_;
  Question question = asked;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  Parts::Counted counted;
  if (parts.set.size() == 1) {
    counted = parts.count(question);
    counted.threads = cells_of_accounts(counted.tallied.cells.size());
  } else {
    parts.look(question.filter.heaps);
    check(question, parts.set.size());
    if (question.filter.on_stacks()) {
      counted.selected = select_stacks(question.filter, parts.sites, parts.names());
    }
    Plan plan = parts.make_plan(question, counted);
    plan.key = CellKey::kLedgerAccount;
    parts.run(plan, counted);
  }
  const Fold fold(parts.set, question, counted.tallied);
  const Paged<Cell>& cells = counted.tallied.cells;
  const Paged<PeakCell>& peaks = counted.tallied.cell_peaks;
  auto site_of = [&](uint32_t cell) {
    const uint32_t account = counted.threads[cell].second;
    return account < parts.sites.size() ? parts.sites[account] : SiteCatalog::kRoot;
  };
  std::vector<uint32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const uint32_t one = counted.threads[a].first, other = counted.threads[b].first;
    return one != other ? one < other : site_of(a) < site_of(b);
  });
  for (uint32_t cell : order) {
    const auto [ledger, account] = counted.threads[cell];
    const bool selected = counted.selected.empty() ||
                          (account < counted.selected.size() && counted.selected[account] != 0);
    if (!selected || cells[cell].empty()) continue;
    use(ledger, site_of(cell),
        fold.figures(cells[cell], nullptr, cell < peaks.size() ? &peaks[cell] : nullptr));
  }
}

}  // namespace heapledger
