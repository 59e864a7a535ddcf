// Ledgers: the first pass, and what needs no further one.
#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "analyzer/query/kept_pass.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/pass_on.h"
#include "format/checksum.h"
#include "symbols/kept_files.h"

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

constexpr uint64_t kMostOfAllPasses = uint64_t{512} << 20;
constexpr uint64_t kMostOfOnePass = uint64_t{64} << 20;

KeptFiles kept_passes(const Options::Keeping& keeping) {
  return {keeping.folder, kMostOfAllPasses, kMostOfOnePass};
}

std::string name_of_pass(const Options::Keeping& keeping) {
  std::string paths;
  for (const std::string& path : keeping.paths) paths += path + '\0';
  const uint64_t sum = format::checksum(paths.data(), paths.size());
  return hexadecimal({reinterpret_cast<const char*>(&sum), sizeof sum});
}

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
  parts_->symbols = symbols;
  parts_->rename = std::move(rename);
  parts_->stack_names.reset();
}

std::vector<NamedFrame> Ledgers::frames(uint32_t site) {
  Turn turn(*this);
  StackNames& names = parts_->names();
  std::vector<uint32_t> stack;
  names.stack(site, stack);
  std::vector<NamedFrame> frames;
  frames.reserve(stack.size());
  for (uint32_t frame : stack) frames.push_back(names.named(frame));
  return frames;
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
  parts_->names();
  return parts_->passing_on;
}

void Ledgers::count_as_wrappers(const std::vector<std::string>& functions) {
  Turn turn(*this);
  if (parts_->more_wrappers == functions) return;
  parts_->more_wrappers = functions;
  parts_->stack_names.reset();
}

std::vector<Measure> measures_of_processes() {
  std::vector<Measure> measures;
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
  if (!kept) keep();
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
  set.scan(*book, reading.heaps, progress, closing);
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
  reading.book = std::move(book);
  overview.has_sites = std::any_of(sites.begin(), sites.end(),
                                   [](uint32_t site) { return site != SiteCatalog::kRoot; });
  for (LedgerFacts& facts : overview.processes) {
    for (DamageFacts& damage : facts.damages) {
      bool known = damage.allocated < sites.size();
      damage.allocated = known ? sites[damage.allocated] : SiteCatalog::kRoot;
    }
  }
  stack_names.reset();  // there may be more modules now
}

// --- kept for the next command ---

void Ledgers::Parts::keep() {
  const Options::Keeping& keeping = set.options().keeping;
  const Overview& overview = views.front()->overview;
  uint64_t entries = 0;
  for (const LedgerFacts& facts : overview.processes) entries += facts.entries;
  const bool same = keeping.paths.size() == set.size();
  if (keeping.folder.empty() || !same || entries < keeping.least_entries) return;
  try {
    for (const std::string& path : keeping.paths) {
      if (!LedgerFile(open_file(path), true).sealed()) return;
    }
    const std::optional<std::string> packed = pack_pass(*views.front(), set);
    if (!packed) return;
    kept_passes(keeping).store(name_of_pass(keeping), sign_of_files(keeping.paths), *packed);
  } catch (const std::exception&) {
    // Then it is made again.
  }
}

bool Ledgers::Parts::take_kept(HeapView& first) {
  const Options::Keeping& keeping = set.options().keeping;
  if (keeping.folder.empty() || keeping.paths.size() != set.size()) return false;
  if (set.options().checkpoints) return false;  // which only a pass leaves
  const std::optional<std::string> packed =
      kept_passes(keeping).find(name_of_pass(keeping), sign_of_files(keeping.paths));
  if (!packed || !read_briefs() || !unpack_pass(*packed, set, briefs, first)) return false;
  list_sites();
  stack_names.reset();
  return true;
}

void Ledgers::keep_first_pass() {
  Turn turn(*this);
  if (parts_->is_read()) parts_->keep();
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
  if (briefs.empty()) read();
  if (stack_names == nullptr) {
    stack_names = std::make_unique<StackNames>(set.catalog(), symbols, rename);
    passing_on.clear();
    for (uint32_t name : find_those_that_pass_on(*stack_names)) {
      passing_on.emplace_back(stack_names->text(name));
    }
    std::vector<uint32_t> more;
    for (const std::string& name : more_wrappers) more.push_back(stack_names->intern(name));
    stack_names->count_as_wrappers(more);
  }
  return *stack_names;
}

Watch Ledgers::Parts::resolve(const MomentSpec& moment) {
  using Kind = MomentSpec::Kind;
  using What = Watch::What;
  const Overview& overview = view().overview;
  Watch end{What::kEnd, 0, overview.duration_ns};
  auto at_time = [&](uint64_t time) {
    return time >= overview.duration_ns ? end : Watch{What::kTime, 0, time};
  };
  switch (moment.kind) {
    case Kind::kStart:
      return {What::kStart, 0, 0};
    case Kind::kPeak:
      if (overview.is_live()) return end;
      return {What::kBirth, view().book->peak_birth(), overview.peak_time_ns};
    case Kind::kRssPeak:
      return {What::kSample, view().book->rss_peak_sample(), overview.rss_peak_time_ns};
    case Kind::kEnd:
      return end;
    case Kind::kTime:
      return at_time(moment.time_ns);
    case Kind::kPercent:
      if (moment.percent >= 100) return end;
      return at_time(
          static_cast<uint64_t>(static_cast<double>(overview.duration_ns) * moment.percent / 100));
    case Kind::kMarker:
      break;
  }
  for (size_t i = 0; i < overview.markers.size(); ++i) {
    const Marker& marker = overview.markers[i];
    if (marker.text == moment.marker) return {What::kMarker, i + 1, marker.time_ns};
  }
  refuse_marker(moment.marker, overview.markers);
}

void refuse_marker(const std::string& name, const std::vector<Marker>& known) {
  constexpr size_t kShown = 10;
  std::string names;
  for (size_t i = 0; i < std::min(kShown, known.size()); ++i) {
    names += (i == 0 ? "" : ", ") + known[i].text;
  }
  throw Error(
      "'" + name +
          "' is not a moment: neither start, peak, rss-peak, end, a time such as 1.5s or 50%, "
          "nor a marker of this ledger" +
          (names.empty() ? std::string(" (it has none)") : "; markers: " + names),
      ErrorKind::kQuestion);
}

}  // namespace heapledger
