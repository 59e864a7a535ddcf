// Ledgers: the index is made, and asked.
#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/free_memory.h"
#include "analyzer/index/cube_book.h"
#include "analyzer/index/index_reader.h"
#include "analyzer/paged.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/series_recorder.h"

namespace heapledger {

// A heap of one moment has no time.
bool Ledgers::Parts::can_have_index() const {
  const Overview& overview = views.front()->overview;
  auto has_none = [](const LedgerFacts& facts) { return facts.live; };
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
  return std::optional<CubeBook>(std::in_place, set, edges, set.options().index_rows, index_wanted);
}

// Of all that was read, if its edges are those of the chart: twice as wide, and so on.
void Ledgers::Parts::index_is_made(std::shared_ptr<const Cube> cube) {
  if (cube->edges.count == 0) {  // what was tried will not be tried again
    index_tried = true;
    return;
  }
  Edges edges = edges_of_series();
  while (edges.width_ns < cube->edges.width_ns) {
    edges.width_ns *= 2;
    edges.count = (edges.count + 1) / 2;
  }
  // What was kept is not to be believed blindly.
  auto is_known = [this](const ThreadId& thread) { return thread.first < set.size(); };
  const bool fits =
      std::all_of(cube->lives.threads.begin(), cube->lives.threads.end(), is_known) &&
      std::all_of(cube->all_lives.threads.begin(), cube->all_lives.threads.end(), is_known);
  if (!can_have_index() || edges != cube->edges || !fits) return;
  index_tried = true;
  publish(std::make_shared<const IndexReader>(set, views.front(), std::move(cube), sites, naming,
                                              std::exchange(named, {})));
}

bool Ledgers::Parts::make_index(bool with_lives) {
  index_wanted = true;
  read();
  if (!index_tried) take_kept_index();
  const std::shared_ptr<const IndexReader> before = index_reader();
  const bool has_all = before == nullptr || !with_lives || before->cube().has_counted_lives;
  if (index_tried && has_all) return before != nullptr;
  index_tried = true;
  if (!can_have_index()) return false;
  CubeBook book(set, edges_of_series(), set.options().index_rows, true);
  Progress progress(own->asker);
  try {
    set.scan(book, HeapChoice{}, book.stops(), progress, [&book](size_t) { book.reach_edge(); });
  } catch (...) {
    index_tried = before != nullptr;
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

bool Ledgers::Parts::count_in_index(const Question& question, bool some_left_out,
                                    Counted& counted) {
  const std::shared_ptr<const IndexReader> from = index_reader();
  if (from == nullptr || !own->looked_at.empty()) return false;
  const std::optional<IndexRange> range = from->find(question);
  if (!range || (range->lives != nullptr && some_left_out)) return false;
  own->view = views.front();
  IndexCount found = from->count(question, *range, counted.selected);
  counted.tallied = std::move(found.tallied);
  counted.threads = std::move(found.threads);
  counted.by_account = found.by_account;
  counted.from_index = true;
  counted.begin_ns = range->begin_ns;
  counted.end_ns = range->end_ns;
  return true;
}

bool Ledgers::Parts::is_in_index(const Question& question) const {
  const std::shared_ptr<const IndexReader> from = index_reader();
  return from != nullptr && own->looked_at.empty() && from->find(question);
}

bool Ledgers::make_index(bool with_lives) {
  const std::shared_ptr<const IndexReader> made = parts_->index_reader();
  if (made != nullptr && (!with_lives || made->cube().has_counted_lives)) return true;
  Turn turn(*this);
  return parts_->make_index(with_lives);
}

void Ledgers::settle() {
  {
    Turn turn(*this);
    parts_->kept_tally.reset();
    parts_->kept_owners.reset();
    if (const auto reader = parts_->instant_reader()) {
      parts_->call_tree.reset();
      reader->make_ready();
    }
  }
  SparePages::all().give_back();
  give_back_free_memory();
}

Edges Ledgers::edges() {
  const std::shared_ptr<const IndexReader> from = parts_->index_reader();
  return from != nullptr ? from->cube().edges : Edges{};
}

bool Ledgers::is_in_index(const Question& question) {
  const std::shared_ptr<const IndexReader> from = parts_->index_reader();
  return from != nullptr && own_->looked_at.empty() && from->find(question);
}

// From the reader of the index, in turn where the ledgers may change under it.
template <typename Found, typename Ask>
Found Ledgers::ask_of_index(const char* what, const Ask& ask) const {
  const std::shared_ptr<const IndexReader> from = parts_->index_reader();
  if (from == nullptr) {
    throw Error(std::string("there is no index to make ") + what + " of", ErrorKind::kQuestion);
  }
  std::optional<Found> found;
  if (own_->looked_at.empty()) {
    std::optional<Turn> turn;
    if (parts_->instant_reader() == nullptr) turn.emplace(*this);
    found = ask(*from);
  }
  if (found) return *std::move(found);
  throw Error(std::string("the index has no such ") + what +
                  ": of other heaps than malloc's, of samples, of a time of birth, or of sizes and "
                  "lifetimes within a class; filter by function or module",
              ErrorKind::kQuestion);
}

Timeline Ledgers::timeline(const Question& question) {
  return ask_of_index<Timeline>("timelines",
                                [&](const IndexReader& from) { return from.timeline(question); });
}

Cohorts Ledgers::cohorts(const Question& question, uint32_t most_cells) {
  return ask_of_index<Cohorts>(
      "cohorts", [&](const IndexReader& from) { return from.cohorts(question, most_cells); });
}

Answer Ledgers::ask_cohort(const Question& question, const Cohort& cohort) {
  return ask_of_index<Answer>(
      "cohorts", [&](const IndexReader& from) { return from.cohort(question, cohort); });
}

}  // namespace heapledger
