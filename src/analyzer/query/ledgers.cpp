// Ledgers: the first pass, and what needs no further one.
#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/index/indexing_book.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"

namespace heapledger {
namespace {

std::vector<Ledgers::Opener> openers_of(std::span<const std::string> paths) {
  std::vector<Ledgers::Opener> openers;
  for (const std::string& path : paths) openers.emplace_back([path] { return open_file(path); });
  return openers;
}

[[noreturn]] void refuse_heaps(const HeapCatalog& heaps, const Patterns& patterns,
                               const Patterns& looked_at) {
  const Patterns& asked = patterns.empty() ? looked_at : patterns;
  std::string names;
  for (uint32_t i = 0; i < heaps.size(); ++i) {
    if (heaps.at(i).used) names += (names.empty() ? "" : ", ") + heaps.at(i).name;
  }
  std::string hint = heaps.has_others() ? "" : "; record with maps=on for mmap";
  std::string which =
      asked.in.empty() ? "the filter leaves no heap" : "no heap fits '" + asked.in.front() + "'";
  throw Error(which + "; there are: " + names + hint, ErrorKind::kQuestion);
}

// Of live heaps nobody knows when they were larger: the moment that they are of stands for the
// peak.
void take_end_for_peak(Overview& overview, const LedgerSet& set) {
  Figures& totals = overview.totals;
  totals.live_bytes = totals.peak_bytes = overview.never_freed_bytes;
  totals.live_blocks = totals.peak_blocks = overview.never_freed_blocks;
  totals.live_error = totals.peak_error = overview.never_freed_error;
  totals.peak_time_ns = overview.peak_time_ns = overview.duration_ns;
  for (LedgerFacts& facts : overview.processes) {
    facts.totals.peak_time_ns = set.since_start(facts.start_wall_ns) + facts.duration_ns;
  }
}

// The figures of a process, from its own totals: the live ones at its end.
constexpr std::array<std::pair<Measure, uint64_t Totals::*>, 9> kOfProcesses = {{
    {Measure::kPeakBytes, &Totals::peak_bytes},
    {Measure::kLiveBytes, &Totals::end_bytes},
    {Measure::kLiveBlocks, &Totals::end_blocks},
    {Measure::kCalls, &Totals::calls},
    {Measure::kBytes, &Totals::bytes},
    {Measure::kTemporaryCalls, &Totals::temporary_calls},
    {Measure::kFrees, &Totals::frees},
    {Measure::kResizes, &Totals::resizes},
    {Measure::kRssPeak, &Totals::rss_peak_bytes},
}};

void add_up(Overview& overview) {
  for (const LedgerFacts& ledger : overview.processes) {
    overview.sums.add(ledger.totals);
    overview.counts.add(ledger.counts);
    overview.damages += ledger.damage_count;
    for (size_t i = 0; i < overview.by_function.size(); ++i) {
      overview.by_function[i] += ledger.by_function[i];
    }
  }
  overview.sums.peak_bytes = overview.totals.peak_bytes;
  overview.sums.peak_blocks = overview.totals.peak_blocks;
  overview.sums.peak_time_ns = overview.peak_time_ns;
  overview.sums.rss_peak_bytes = overview.rss_peak_bytes;
}

}  // namespace

Ledgers::Ledgers(std::span<const std::string> paths, Options options)
    : Ledgers(openers_of(paths), std::move(options)) {}
Ledgers::Ledgers(std::vector<Opener> sources, Options options)
    : Ledgers(std::make_shared<Parts>(std::move(sources), options), options.asker) {}
Ledgers::Ledgers(std::shared_ptr<Parts> parts, Asker asker)
    : parts_(std::move(parts)), own_(std::make_unique<Own>()) {
  own_->asker = std::move(asker);
}
Ledgers::~Ledgers() = default;
Ledgers::Ledgers(Ledgers&&) noexcept = default;
Ledgers& Ledgers::operator=(Ledgers&&) noexcept = default;

Ledgers Ledgers::for_asker(Asker asker) const {
  return Ledgers(parts_, std::move(asker));
}

const std::vector<Error>& Ledgers::refusals() const {
  return parts_->set.refusals();
}

void Ledgers::look_at(const Patterns& heaps) {
  own_->looked_at = heaps;
  own_->looked.reset();
}

const HeapCatalog& Ledgers::heaps() {
  Turn turn(*this);
  parts_->read();
  return parts_->set.heaps();
}

std::vector<seal::StoredCheckpoint> Ledgers::take_checkpoints(uint32_t ledger) {
  Turn turn(*this);
  parts_->read();
  return parts_->set.take_checkpoints(ledger);
}

const Overview& Ledgers::overview() {
  const auto reader = parts_->instant_reader();
  if (reader != nullptr && own_->looked_at.empty()) {
    own_->looked = reader->view();
    return own_->looked->overview;
  }
  Turn turn(*this);
  parts_->look_at_own();
  return own_->looked->overview;
}

const std::vector<LedgerFacts>& Ledgers::facts() {
  return overview().processes;
}

const SiteCatalog& Ledgers::sites() {
  Turn turn(*this);
  if (!parts_->read_briefs()) parts_->read();
  return parts_->set.catalog();
}

void Ledgers::use_symbols(const SymbolTable* symbols,
                          std::function<std::string(std::string_view)> rename) {
  Turn turn(*this);
  parts_->set_naming({symbols, std::move(rename), parts_->naming.more_wrappers});
}

namespace {

std::vector<NamedFrame> frames_of(uint32_t site, StackNames& names) {
  std::vector<uint32_t> stack;
  names.stack(site, stack);
  std::vector<NamedFrame> frames;
  frames.reserve(stack.size());
  for (uint32_t frame : stack) frames.push_back(names.named(frame));
  return frames;
}

}  // namespace

std::vector<NamedFrame> Ledgers::frames(uint32_t site) {
  if (const auto reader = parts_->instant_reader()) return frames_of(site, reader->names());
  Turn turn(*this);
  return frames_of(site, parts_->names());
}

NamedFrame Ledgers::first_interesting_frame(uint32_t site) {
  Turn turn(*this);
  StackNames& names = parts_->names();
  std::vector<uint32_t> stack;
  names.stack(site, stack);
  return stack.empty() ? NamedFrame{} : names.named(stack[names.first_interesting(stack)]);
}

std::vector<std::string> Ledgers::functions_that_pass_on() {
  Turn turn(*this);
  return parts_->passing_on();
}

void Ledgers::count_as_wrappers(const std::vector<std::string>& functions) {
  Turn turn(*this);
  if (parts_->naming.more_wrappers == functions) return;
  parts_->set_naming({parts_->naming.symbols, parts_->naming.rename, functions});
}

std::vector<Measure> measures_of_processes() {
  std::vector<Measure> measures;
  measures.reserve(kOfProcesses.size());
  for (const auto& [measure, total] : kOfProcesses) measures.push_back(measure);
  return measures;
}

uint32_t Ledgers::worst(Measure measure) {
  const auto known = std::find_if(kOfProcesses.begin(), kOfProcesses.end(),
                                  [measure](const auto& row) { return row.first == measure; });
  if (known == kOfProcesses.end()) {
    std::string words;
    for (Measure one : measures_of_processes()) {
      const bool last = one == kOfProcesses.back().first;
      words += (words.empty() ? "" : last ? " or " : ", ") + std::string(name_of(one));
    }
    throw Error(
        "a process cannot be the worst by " + std::string(name_of(measure)) + "; take " + words,
        ErrorKind::kQuestion);
  }
  const auto value = [&](const Totals& totals) { return totals.*known->second; };
  const std::vector<LedgerFacts>& ledgers = facts();
  auto worst = std::max_element(ledgers.begin(), ledgers.end(),
                                [&](const LedgerFacts& a, const LedgerFacts& b) {
                                  return value(a.totals) < value(b.totals);
                                });
  return static_cast<uint32_t>(worst - ledgers.begin());
}

// --- the first pass ---

void Ledgers::Parts::read() {
  if (is_read()) return;
  auto first = std::make_shared<HeapView>();
  const bool kept = take_kept(*first);
  if (!kept) {
    first = std::make_shared<HeapView>();
    read_view(*first);
  }
  if (first->overview.is_live()) take_end_for_peak(first->overview, set);
  add_up(first->overview);
  own->view = views.emplace_back(std::move(first));
  if (first_cube != nullptr) index_is_made(std::exchange(first_cube, nullptr));
  if (kept) return;
  keep();
  keep_index();
}

void Ledgers::Parts::look_at_own() {
  look({});
  own->looked = own->view;
}

void Ledgers::Parts::look(const Patterns& patterns) {
  read();  // only then all heaps are known
  const Patterns& looked_at = own->looked_at;
  HeapChoice choice = heaps_to_add(set.heaps(), patterns.empty() ? looked_at : patterns);
  auto same = std::find_if(views.begin(), views.end(),
                           [&choice](const auto& known) { return known->heaps == choice; });
  if (same != views.end()) {
    own->view = *same;
    return;
  }
  if (!choice.has_malloc && !choice.has_others) refuse_heaps(set.heaps(), patterns, looked_at);
  auto other = std::make_shared<HeapView>();
  other->heaps = choice;
  read_view(*other);
  add_up(other->overview);
  // Kept are malloc's, what is looked at, and the last other one asked for.
  const HeapChoice kept = heaps_to_add(set.heaps(), looked_at);
  if (views.size() > 1 && views.back()->heaps != kept) views.pop_back();
  own->view = views.emplace_back(std::move(other));
}

void Ledgers::Parts::list_sites() {
  const uint32_t accounts = set.catalog().accounts();
  if (sites.size() < accounts) sites = sites_of_accounts(set.catalog(), accounts);
}

void Ledgers::Parts::read_view(HeapView& reading) {
  Overview& overview = reading.overview;
  auto book = std::make_unique<OverviewBook>(set);
  Progress progress(own->asker);
  overview.processes.resize(set.size());
  std::vector<Heir> heirs;
  std::vector<uint32_t> heir_of;  // which ledger each heir is
  auto closing = [&](uint32_t number, ProcessScan& scan, LedgerFile& file) {
    LedgerFacts& facts = overview.processes[number];
    scan.tell(facts);
    facts.totals.peak_time_ns = set.since_start(facts.start_wall_ns) + facts.totals.peak_time_ns;
    if (facts.origin != format::Origin::kForked || !reading.heaps.has_malloc) return;
    Heir heir;
    heir.path = facts.path;
    heir.parent_path = facts.parent_ledger;
    heir.header = file.header();
    heir.foreign_deaths = scan.take_foreign_deaths();
    heirs.push_back(std::move(heir));
    heir_of.push_back(number);
  };
  std::optional<CubeBook> cube = begin_cube(reading.heaps);
  if (cube) {
    IndexingBook both(*book, *cube);
    set.scan(
        both, reading.heaps, cube->stops(), progress, [&cube](size_t) { cube->reach_edge(); },
        closing);
    first_cube = std::make_shared<const Cube>(cube->take());
  } else {
    set.scan(*book, reading.heaps, progress, closing);
  }
  settle_inheritance(heirs, set.options(), progress);
  for (size_t i = 0; i < heirs.size(); ++i) {
    LedgerFacts& facts = overview.processes[heir_of[i]];
    facts.parent_found = heirs[i].parent_found;
    facts.inherited_blocks = heirs[i].inherited_blocks;
    facts.inherited_bytes = heirs[i].inherited_bytes;
    facts.totals.inherited_frees = heirs[i].inherited_deaths;
    facts.totals.unmatched_frees = heirs[i].unknown_deaths;
  }
  book->tell(overview);
  list_sites();
  reading.accounts = ClosedAccounts(book->take_accounts(), set.options().small_accounts);
  reading.peaks = book->peaks();
  book.reset();
  overview.has_sites = std::any_of(sites.begin(), sites.end(),
                                   [](uint32_t site) { return site != SiteCatalog::kRoot; });
  for (LedgerFacts& facts : overview.processes) {
    for (DamageFacts& damage : facts.damages) {
      bool known = damage.allocated < sites.size();
      damage.allocated = known ? sites[damage.allocated] : SiteCatalog::kRoot;
    }
  }
  named = {};  // there may be more modules now
}

void Ledgers::Parts::scan(QuietBook& book, const HeapChoice& heaps, const Watch* begin,
                          const Watch& end) {
  Progress progress(own->asker);
  std::vector<uint64_t> stops;
  const bool begin_is_time = begin != nullptr && begin->what == Watch::What::kTime;
  if (begin_is_time) stops.push_back(begin->time_ns);
  if (end.what == Watch::What::kTime) stops.push_back(end.time_ns);
  set.scan(book, heaps, stops, progress, [&](size_t i) {
    if (i == 0 && begin_is_time) {
      book.reach_begin();
    } else {
      book.reach_end();
    }
  });
  list_sites();
}

StackNames& Ledgers::Parts::names() {
  if (const auto instant = instant_reader()) return instant->names();
  if (briefs.empty()) read();
  if (named.names == nullptr) {
    named = make_names(set.catalog(), naming);
    kept_owners.reset();
  }
  return *named.names;
}

const std::vector<std::string>& Ledgers::Parts::passing_on() {
  if (const auto instant = instant_reader()) return instant->passing_on();
  names();
  return named.passing_on;
}

void Ledgers::Parts::set_naming(Naming changed) {
  naming = std::move(changed);
  named = {};
  if (const auto known = index_reader()) publish(known->renamed(naming));
}

}  // namespace heapledger
