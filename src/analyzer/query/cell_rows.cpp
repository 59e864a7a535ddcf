#include "analyzer/query/cell_rows.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "analyzer/query/classes.h"

namespace heapledger {
namespace {

template <typename T>
void put_in_order(const std::vector<uint32_t>& order, Paged<T>& cells) {
  if (cells.size() == 0) return;
  Paged<T> sorted;
  sorted.grow_to(cells.size());
  for (uint32_t i = 0; i < order.size(); ++i) sorted[i] = std::move(cells[order[i]]);
  cells = std::move(sorted);
}

}  // namespace

bool thread_fits(const Patterns& patterns, const ThreadFacts& thread) {
  auto fits = [&thread](const std::string& pattern) {
    return pattern == std::to_string(thread.tid) || matches(pattern, thread.name);
  };
  const bool in = patterns.in.empty() || std::any_of(patterns.in.begin(), patterns.in.end(), fits);
  return in && std::none_of(patterns.out.begin(), patterns.out.end(), fits);
}

void describe_thread(const ThreadId& id, const std::vector<ThreadFacts>& threads, Row& row) {
  const auto [ledger, place] = id;
  row.ledger = ledger;
  if (place < threads.size()) {
    row.key = threads[place].tid;
    row.name = threads[place].name;
  }
  if (row.name.empty()) row.name = "thread " + std::to_string(row.key);
}

void describe_class(GroupBy by, uint32_t number, Row& row) {
  if (by == GroupBy::kSizeClass) {
    row.key = bounds_of_size_class(number).from;
  } else {
    row.key = number == kLifetimeClassCount ? kNeverFreed : bounds_of_lifetime_class(number).from;
  }
  row.name = class_text(by, row.key);
}

void describe_process(uint32_t number, const LedgerFacts& facts, Row& row) {
  row.ledger = number;
  row.key = facts.pid;
  row.name = facts.path;
}

void sort_classes(Answer& answer) {
  std::sort(answer.rows.begin(), answer.rows.end(),
            [](const Row& a, const Row& b) { return a.key < b.key; });
}

void sort_threads(std::vector<ThreadId>& threads, Tallied& tallied) {
  std::vector<uint32_t> order(threads.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&threads](uint32_t a, uint32_t b) { return threads[a] < threads[b]; });
  put_in_order(order, tallied.cells);
  put_in_order(order, tallied.extras);
  put_in_order(order, tallied.cell_peaks);
  std::sort(threads.begin(), threads.end());
}

}  // namespace heapledger
