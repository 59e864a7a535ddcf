// Ledgers: the index is made, and asked.
#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/index/cube_book.h"
#include "analyzer/index/index_reader.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/series_recorder.h"

namespace heapledger {

// Estimates have errors, which a cube does not keep; and a heap of one moment has no time.
bool Ledgers::Parts::can_have_index() const {
  const Overview& overview = views.front()->overview;
  auto has_none = [](const LedgerFacts& facts) { return facts.sampled || facts.live; };
  return overview.has_sites && overview.series.buckets.size() > 1 &&
         std::none_of(overview.processes.begin(), overview.processes.end(), has_none);
}

Edges Ledgers::Parts::edges_of_series() const {
  const Series& series = views.front()->overview.series;
  return {series.width_ns, static_cast<uint32_t>(series.buckets.size())};
}

std::optional<CubeBook> Ledgers::Parts::begin_cube(const HeapChoice& heaps) const {
  if (is_read() || heaps != HeapChoice{} || !(index_wanted || keeps_index())) return std::nullopt;
  const std::optional<uint64_t> end = set.known_end_ns();
  if (!end) return std::nullopt;
  const uint64_t width = SeriesRecorder::width_until(*end);
  const Edges edges{width, static_cast<uint32_t>(*end / width) + 1};
  return std::optional<CubeBook>(std::in_place, set, edges, set.options().index_rows);
}

// Of all that was read, if its edges are those of the chart: twice as wide, and so on.
void Ledgers::Parts::index_is_made(std::shared_ptr<const Cube> cube) {
  Edges edges = edges_of_series();
  while (edges.width_ns < cube->edges.width_ns) {
    edges.width_ns *= 2;
    edges.count = (edges.count + 1) / 2;
  }
  if (!can_have_index() || edges != cube->edges) return;
  index_tried = true;
  publish(std::make_shared<const IndexReader>(set, views.front(), std::move(cube), sites, naming,
                                              std::exchange(named, {})));
}

bool Ledgers::Parts::make_index() {
  index_wanted = true;
  read();
  if (index_tried || take_kept_index()) return index_reader() != nullptr;
  index_tried = true;
  if (!can_have_index()) return false;
  CubeBook book(set, edges_of_series(), set.options().index_rows);
  Progress progress(own->asker);
  try {
    set.scan(book, HeapChoice{}, book.stops(), progress, [&book](size_t) { book.reach_edge(); });
  } catch (...) {
    index_tried = false;
    throw;
  }
  list_sites();
  index_is_made(std::make_shared<const Cube>(book.take()));
  keep_index();
  return index_reader() != nullptr;
}

void Ledgers::Parts::publish(std::shared_ptr<const IndexReader> made) {
  std::lock_guard lock(reader_mutex);
  reader = std::move(made);
}

std::shared_ptr<const IndexReader> Ledgers::Parts::index_reader() const {
  std::lock_guard lock(reader_mutex);
  return reader;
}

// A ledger that went on while it was read may have more sites in the next pass, which would come
// in the way of those who look at them.
std::shared_ptr<const IndexReader> Ledgers::Parts::instant_reader() const {
  std::shared_ptr<const IndexReader> found = index_reader();
  if (found == nullptr) return nullptr;
  const std::vector<LedgerFacts>& processes = found->view()->overview.processes;
  const bool changes = std::any_of(processes.begin(), processes.end(),
                                   [](const LedgerFacts& facts) { return facts.still_running; });
  return changes ? nullptr : found;
}

bool Ledgers::Parts::count_in_index(const Question& question, Counted& counted) {
  const std::shared_ptr<const IndexReader> from = index_reader();
  if (from == nullptr || !own->looked_at.empty()) return false;
  const std::optional<IndexRange> range = from->find(question);
  if (!range) return false;
  own->view = views.front();
  counted.tallied = from->count(question, *range);
  counted.by_account = counted.from_index = true;
  counted.begin_ns = range->begin_ns;
  counted.end_ns = range->end_ns;
  return true;
}

bool Ledgers::Parts::is_in_index(const Question& question) const {
  const std::shared_ptr<const IndexReader> from = index_reader();
  return from != nullptr && own->looked_at.empty() && from->find(question);
}

bool Ledgers::make_index() {
  if (parts_->index_reader() != nullptr) return true;
  Turn turn(*this);
  return parts_->make_index();
}

Edges Ledgers::edges() {
  const std::shared_ptr<const IndexReader> from = parts_->index_reader();
  return from != nullptr ? from->cube().edges : Edges{};
}

bool Ledgers::is_in_index(const Question& question) {
  const std::shared_ptr<const IndexReader> from = parts_->index_reader();
  return from != nullptr && own_->looked_at.empty() && from->find(question);
}

Timeline Ledgers::timeline(const Question& question) {
  const std::shared_ptr<const IndexReader> from = parts_->index_reader();
  if (from == nullptr) throw Error("there is no index to make a timeline of", ErrorKind::kQuestion);
  std::optional<Timeline> line;
  if (own_->looked_at.empty()) {
    std::optional<Turn> turn;
    if (parts_->instant_reader() == nullptr) turn.emplace(*this);
    line = from->timeline(question);
  }
  if (line) return *std::move(line);
  throw Error(
      "the index has no timelines of single blocks, processes or other heaps than malloc's; "
      "filter by function or module",
      ErrorKind::kQuestion);
}

}  // namespace heapledger
