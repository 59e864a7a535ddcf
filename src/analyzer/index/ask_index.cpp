// Ledgers: questions that the index answers.
#include <algorithm>
#include <optional>

#include "analyzer/index/cube_book.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"

namespace heapledger {

// Estimates have errors, which a cube does not keep; and a heap of one moment has no time.
bool Ledgers::Parts::can_have_index() {
  const Overview& overview = views.front()->overview;
  auto has_none = [](const LedgerFacts& facts) { return facts.sampled || facts.live; };
  return overview.has_sites && overview.series.buckets.size() > 1 &&
         std::none_of(overview.processes.begin(), overview.processes.end(), has_none);
}

bool Ledgers::Parts::make_index() {
  read();
  if (index_tried) return index.has_value();
  index_tried = true;
  if (!can_have_index()) return false;
  const Series& series = views.front()->overview.series;
  const size_t rows = set.options().index_rows;
  CubeBook book(set, {series.width_ns, static_cast<uint32_t>(series.buckets.size())}, rows);
  Progress progress(own->asker);
  try {
    set.scan(book, HeapChoice{}, book.stops(), progress, [&book](size_t) { book.reach_edge(); });
  } catch (...) {
    index_tried = false;
    throw;
  }
  index = book.take();
  return true;
}

// What of the index answers a question.
struct IndexRange {
  std::optional<uint32_t> from;  // an edge; nothing: the start
  std::optional<uint32_t> to;    // nothing: the end
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// Nothing when it takes something else.
std::optional<IndexRange> Ledgers::Parts::find_in_index(const Question& question) {
  const bool other_heaps = !question.filter.heaps.empty() || !own->looked_at.empty();
  if (!index || other_heaps) return std::nullopt;
  own->view = views.front();
  Question of_accounts = question;
  of_accounts.between.reset();
  if (!is_in_accounts(of_accounts)) return std::nullopt;
  if (question.between && !question.wanted.no_range_peaks) return std::nullopt;
  const Watch begin = question.between ? resolve(question.between->first) : Watch{};
  const Watch end = resolve(question.between ? question.between->second : question.at);
  using What = Watch::What;
  IndexRange range{{}, {}, begin.time_ns, end.time_ns};
  if (begin.time_ns > end.time_ns) return std::nullopt;  // which is refused
  if (begin.what == What::kTime) range.from = index->edges.at(begin.time_ns);
  if (end.what == What::kTime) range.to = index->edges.at(end.time_ns);
  const bool begins = begin.what == What::kStart || range.from;
  const bool ends = range.to || (question.between && end.what == What::kEnd);
  return begins && ends ? std::optional(range) : std::nullopt;
}

bool Ledgers::Parts::count_in_index(const Question& question, Counted& counted) {
  const std::optional<IndexRange> range = find_in_index(question);
  if (!range) return false;
  Paged<Cell>& cells = counted.tallied.cells;
  if (question.between) {
    cells.grow_to(set.catalog().accounts());
    index->add_range(range->from, range->to, cells);
  } else {
    Question at_start = question;  // where nothing is live
    at_start.at = {MomentSpec::Kind::kStart, 0, 0, {}};
    take_from_overview(at_start, counted);
    index->add_live(*range->to, cells);
  }
  counted.by_account = true;
  counted.begin_ns = range->begin_ns;
  counted.end_ns = range->end_ns;
  return true;
}

bool Ledgers::Parts::is_in_index(const Question& question) {
  return find_in_index(question).has_value();
}

bool Ledgers::make_index() {
  Turn turn(*this);
  return parts_->make_index();
}

Edges Ledgers::edges() {
  Turn turn(*this);
  return parts_->index ? parts_->index->edges : Edges{};
}

}  // namespace heapledger
