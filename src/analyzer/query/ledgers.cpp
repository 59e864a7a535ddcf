// Ledgers: the first pass, and what needs no further one.
#include <algorithm>

#include "analyzer/error.h"
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
  throw Error(which + "; there are: " + names + hint, kExitUsage);
}

}  // namespace

Ledgers::Ledgers(std::span<const std::string> paths, Options options)
    : Ledgers(openers_of(paths), std::move(options)) {}
Ledgers::Ledgers(std::vector<Opener> sources, Options options)
    : parts_(std::make_unique<Parts>(std::move(sources), std::move(options))) {}
Ledgers::~Ledgers() = default;
Ledgers::Ledgers(Ledgers&&) noexcept = default;
Ledgers& Ledgers::operator=(Ledgers&&) noexcept = default;

const std::vector<Refusal>& Ledgers::refusals() const {
  return parts_->set.refusals();
}

void Ledgers::look_at(const Patterns& heaps) {
  parts_->looked_at = heaps;
}

const HeapCatalog& Ledgers::heaps() {
  parts_->read();
  return parts_->set.heaps();
}

const Overview& Ledgers::overview() {
  parts_->look({});
  return parts_->view->overview;
}

const std::vector<LedgerFacts>& Ledgers::facts() {
  parts_->look({});
  return parts_->view->analysis.ledgers;
}

const Analysis& Ledgers::analysis() {
  parts_->look({});
  parts_->list_groups();
  return parts_->view->analysis;
}

const SiteCatalog& Ledgers::sites() {
  if (!parts_->read_briefs()) parts_->read();
  return parts_->set.catalog();
}

void Ledgers::use_symbols(const SymbolTable* symbols,
                          std::function<std::string(std::string_view)> rename) {
  parts_->symbols = symbols;
  parts_->rename = std::move(rename);
  parts_->stack_names.reset();
}

std::vector<NamedFrame> Ledgers::frames(uint32_t site) {
  StackNames& names = parts_->names();
  std::vector<uint32_t> stack;
  names.stack(site, stack);
  std::vector<NamedFrame> frames;
  frames.reserve(stack.size());
  for (uint32_t frame : stack) frames.push_back(names.named(frame));
  return frames;
}

NamedFrame Ledgers::first_interesting_frame(uint32_t site) {
  StackNames& names = parts_->names();
  std::vector<uint32_t> stack;
  names.stack(site, stack);
  return stack.empty() ? NamedFrame{} : names.named(stack[names.first_interesting(stack)]);
}

uint32_t Ledgers::worst(Measure measure) {
  parts_->look({});
  auto value = [measure](const Totals& totals) -> uint64_t {
    switch (measure) {
      case Measure::kPeakBytes:
        return totals.peak_bytes;
      case Measure::kLiveBytes:
        return totals.end_bytes;
      case Measure::kLiveBlocks:
        return totals.end_blocks;
      case Measure::kCalls:
        return totals.calls;
      case Measure::kBytes:
        return totals.bytes;
      case Measure::kTemporaryCalls:
        return totals.temporary_calls;
      case Measure::kResizes:
        return totals.resizes;
      case Measure::kFrees:
        return totals.frees;
      case Measure::kRssPeak:
        return totals.rss_peak_bytes;
      default:
        throw Error(
            "a process cannot be the worst by " + std::string(name_of(measure)) +
                "; take peak, live, blocks, calls, bytes, temporary, frees, reallocs or rss",
            kExitUsage);
    }
  };
  const std::vector<LedgerFacts>& ledgers = parts_->view->analysis.ledgers;
  auto worst = std::max_element(ledgers.begin(), ledgers.end(),
                                [&](const LedgerFacts& a, const LedgerFacts& b) {
                                  return value(a.totals) < value(b.totals);
                                });
  return static_cast<uint32_t>(worst - ledgers.begin());
}

// --- the first pass ---

void Ledgers::Parts::read() {
  if (is_read()) return;
  auto first = std::make_unique<HeapView>();
  read_view(*first);
  view = views.emplace_back(std::move(first)).get();
  if (all_live(view->analysis.ledgers)) take_end_for_peak();
  add_up();
}

void Ledgers::Parts::look(const Patterns& patterns) {
  read();  // only then all heaps are known
  HeapChoice choice = heaps_to_add(set.heaps(), patterns.empty() ? looked_at : patterns);
  auto same = std::find_if(views.begin(), views.end(),
                           [&choice](const auto& known) { return known->heaps == choice; });
  if (same != views.end()) {
    view = same->get();
    return;
  }
  if (!choice.has_malloc && !choice.has_others) refuse_heaps(set.heaps(), patterns, looked_at);
  auto other = std::make_unique<HeapView>();
  other->heaps = choice;
  read_view(*other);
  // Kept are malloc's, what is looked at, and the last other one asked for.
  const HeapChoice kept = heaps_to_add(set.heaps(), looked_at);
  if (views.size() > 1 && views.back()->heaps != kept) views.pop_back();
  view = views.emplace_back(std::move(other)).get();
  add_up();
}

void Ledgers::Parts::give_accounts(uint32_t count) {
  if (count <= given_accounts && !sites.empty()) return;
  given_accounts = std::max(given_accounts, count);
  sites = sites_of_accounts(set.catalog(), given_accounts);
}

void Ledgers::Parts::read_view(HeapView& reading) {
  Analysis& analysis = reading.analysis;
  auto book = std::make_unique<OverviewBook>(set, given_accounts);
  Progress progress(set.options().progress);
  analysis.ledgers.resize(set.size());
  std::vector<Heir> heirs;
  std::vector<uint32_t> heir_of;  // which ledger each heir is
  auto closing = [&](uint32_t number, Replay<OverviewBook>& replay, LedgerFile& file) {
    LedgerFacts& facts = analysis.ledgers[number];
    replay.tell(facts);
    facts.totals.peak_time_ns = set.since_start(facts.start_wall_ns) + facts.totals.peak_time_ns;
    if (facts.origin != format::Origin::kForked || !reading.heaps.has_malloc) return;
    Heir heir;
    heir.path = facts.path;
    heir.parent_path = facts.parent_ledger;
    heir.header = file.header();
    heir.foreign_deaths = replay.take_foreign_deaths();
    heirs.push_back(std::move(heir));
    heir_of.push_back(number);
  };
  set.play(*book, reading.heaps, {}, progress, closing, [](size_t) {});
  settle_inheritance(heirs, set.options(), progress);
  for (size_t i = 0; i < heirs.size(); ++i) {
    LedgerFacts& facts = analysis.ledgers[heir_of[i]];
    facts.parent_found = heirs[i].parent_found;
    facts.inherited_blocks = heirs[i].inherited_blocks;
    facts.inherited_bytes = heirs[i].inherited_bytes;
    facts.totals.inherited_frees = heirs[i].inherited_deaths;
    facts.totals.unmatched_frees = heirs[i].unknown_deaths;
  }
  book->tell(reading.overview);
  give_accounts(book->accounts().size());
  reading.book = std::move(book);
  for (LedgerFacts& facts : analysis.ledgers) {
    for (DamageFacts& damage : facts.damages) {
      bool known = damage.allocated < sites.size();
      damage.allocated = known ? sites[damage.allocated] : SiteCatalog::kRoot;
    }
  }
  stack_names.reset();  // there may be more modules now
}

// Of live heaps nobody knows when they were larger: the moment that they are of stands for the
// peak.
void Ledgers::Parts::take_end_for_peak() {
  Overview& overview = view->overview;
  Figures& totals = overview.totals;
  totals.live_bytes = totals.peak_bytes = overview.never_freed_bytes;
  totals.live_blocks = totals.peak_blocks = overview.never_freed_blocks;
  totals.live_error = totals.peak_error = overview.never_freed_error;
  totals.peak_time_ns = overview.peak_time_ns = overview.duration_ns;
  for (LedgerFacts& facts : view->analysis.ledgers) {
    facts.totals.peak_time_ns = set.since_start(facts.start_wall_ns) + facts.duration_ns;
  }
}

void Ledgers::Parts::add_up() {
  Analysis& analysis = view->analysis;
  const Overview& overview = view->overview;
  Totals& sum = analysis.totals;
  for (const LedgerFacts& ledger : analysis.ledgers) {
    const Totals& part = ledger.totals;
    sum.calls += part.calls;
    sum.frees += part.frees;
    sum.resizes += part.resizes;
    sum.bytes += part.bytes;
    sum.end_bytes += part.end_bytes;
    sum.end_blocks += part.end_blocks;
    sum.temporary_calls += part.temporary_calls;
    sum.inherited_frees += part.inherited_frees;
    sum.unmatched_frees += part.unmatched_frees;
    sum.lost_frees += part.lost_frees;
    sum.missed += part.missed;
    analysis.counts.add(ledger.counts);
    analysis.damages += ledger.damage_count;
    for (size_t i = 0; i < analysis.by_function.size(); ++i) {
      analysis.by_function[i] += ledger.by_function[i];
    }
  }
  sum.peak_bytes = overview.totals.peak_bytes;
  sum.peak_blocks = overview.totals.peak_blocks;
  sum.peak_time_ns = overview.peak_time_ns;
  sum.rss_peak_bytes = overview.rss_peak_bytes;
  analysis.refusals = set.refusals();
  analysis.sites = set.shared_catalog();
}

void Ledgers::Parts::list_groups() {
  if (view->groups_listed) return;
  view->groups_listed = true;
  Analysis& analysis = view->analysis;
  const Overview& overview = view->overview;
  const bool live = all_live(analysis.ledgers);
  const Accounts& accounts = view->book->accounts();
  for (uint32_t id = 0; id < accounts.size(); ++id) {
    if (sites[id] == SiteCatalog::kRoot) continue;
    const Account& account = accounts.at(id);
    if (account.calls == 0 && view != views.front().get()) continue;  // of another heap
    Group group;
    group.calls = account.calls;
    group.frees = account.frees();
    group.resizes = account.rare.resizes;
    group.bytes = account.bytes;
    group.peak_bytes = account.peak_bytes;
    group.peak_blocks = account.peak_blocks;
    group.peak_time_ns = account.peak_bytes > 0 ? set.since_start(account.peak) : 0;
    group.end_bytes = account.end_bytes;
    group.end_blocks = account.end_blocks;
    group.temporary_calls = account.rare.temporary_calls;
    group.at_peak_bytes = live ? account.end_bytes : accounts.bytes_at_peak(account);
    group.at_peak_blocks = live ? account.end_blocks : accounts.blocks_at_peak(account);
    group.estimates.calls_error = standard_error(account.calls_variance);
    group.estimates.bytes_error = standard_error(account.bytes_variance);
    group.estimates.live_error =
        standard_error(live ? account.end_variance : accounts.variance_at_peak(account));
    group.estimates.peak_error = standard_error(account.peak_variance);
    group.estimates.has_time = overview.totals.has_time;
    group.estimates.time_ns = account.time_ns;
    group.site = sites[id];
    analysis.groups.push_back(group);
  }
  auto larger = [](const Group& a, const Group& b) {
    auto weight = [](const Group& g) {
      return std::tuple(g.at_peak_bytes, g.peak_bytes, g.bytes, g.calls);
    };
    return weight(a) != weight(b) ? weight(a) > weight(b) : a.site < b.site;
  };
  std::sort(analysis.groups.begin(), analysis.groups.end(), larger);
}

StackNames& Ledgers::Parts::names() {
  if (briefs.empty()) read();
  if (stack_names == nullptr) {
    stack_names = std::make_unique<StackNames>(set.catalog(), symbols, rename);
  }
  return *stack_names;
}

Watch Ledgers::Parts::resolve(const MomentSpec& moment) {
  using Kind = MomentSpec::Kind;
  using What = Watch::What;
  const Overview& overview = view->overview;
  Watch end{What::kEnd, 0, overview.duration_ns};
  auto at_time = [&](uint64_t time) {
    return time >= overview.duration_ns ? end : Watch{What::kTime, 0, time};
  };
  switch (moment.kind) {
    case Kind::kStart:
      return {What::kStart, 0, 0};
    case Kind::kPeak:
      if (all_live(view->analysis.ledgers)) return end;
      return {What::kBirth, view->book->peak_birth(), overview.peak_time_ns};
    case Kind::kRssPeak:
      return {What::kSample, view->book->rss_peak_sample(), overview.rss_peak_time_ns};
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
      kExitUsage);
}

}  // namespace heapledger
