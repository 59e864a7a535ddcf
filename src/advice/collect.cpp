// The passes that fill in what rules look at.
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "advice/facts.h"
#include "advice/neighbours.h"
#include "analyzer/query/shared_pass.h"

namespace heapledger {
namespace {

constexpr uint64_t kEarlyPart = 10;  // the first tenth of the run is early

// Sites by their number, made when they are first met.
class SiteTable {
 public:
  explicit SiteTable(std::vector<SiteFacts>& sites) : sites_(sites) {}

  size_t place_of(uint32_t site) {
    if (site >= places_.size()) places_.resize(site + 1, kNowhere);
    if (places_[site] == kNowhere) {
      places_[site] = sites_.size();
      sites_.emplace_back().sites.push_back(site);
    }
    return places_[site];
  }
  SiteFacts& operator[](uint32_t site) { return sites_[place_of(site)]; }

  // These first, in their order; then the others.
  void put_first(const std::vector<Row>& rows) {
    std::vector<SiteFacts> before = std::move(sites_);
    std::vector<size_t> were = std::exchange(places_, {});
    sites_.clear();
    auto take = [&](uint32_t site) {
      const size_t place = site < were.size() ? were[site] : kNowhere;
      SiteFacts& facts = (*this)[site];
      if (place != kNowhere) facts = std::move(before[place]);
    };
    for (const Row& row : rows) take(row.site);
    for (const SiteFacts& facts : before) {
      if (!facts.sites.empty()) take(uint32_t{facts.sites.front()});
    }
  }

 private:
  static constexpr size_t kNowhere = SIZE_MAX;
  std::vector<SiteFacts>& sites_;
  std::vector<size_t> places_;
};

// What is only kept while the blocks go by.
struct Passing {
  uint64_t last_free_births = UINT64_MAX;  // of the thread that freed last, up to then
  uint32_t last_free_thread = 0;
  uint64_t last_early_ns = 0;
  uint64_t first_late_ns = 0;
};

class BlockPass {
 public:
  BlockPass(Ledgers& ledgers, RunFacts& run, SiteTable& table)
      : run_(run),
        table_(table),
        neighbours_(ledgers),
        growth_([this](uint32_t a, uint32_t b) { return neighbours_.same_function(a, b); },
                [this](uint32_t site) -> Growth& { return table_[site].growth; }),
        early_end_ns_(run.duration_ns / kEarlyPart) {}

  void see(const BlockEvent& event) {
    size_t place = table_.place_of(event.site);
    if (place >= passing_.size()) passing_.resize(place + 1);
    if (event.what == BlockEvent::What::kBorn) {
      born(event, run_.sites[place], passing_[place]);
    } else {
      ended(event, run_.sites[place], passing_[place]);
    }
    growth_.see(event);
  }

  void finish() {
    for (SiteFacts& site : run_.sites) site.free_runs += site.left_blocks > 0 ? 1 : 0;
    tell_neighbours();
  }

 private:
  void born(const BlockEvent& event, SiteFacts& site, Passing& passing) {
    ++births_of(event.by);
    if (is_early(event.time_ns)) {
      site.early_bytes += event.size;
      ++site.early_blocks;
    }
    if (event.time_ns <= early_end_ns_) {
      passing.last_early_ns = event.time_ns;
    } else if (passing.first_late_ns == 0) {
      passing.first_late_ns = event.time_ns;
    }
  }

  void ended(const BlockEvent& event, SiteFacts& site, Passing& passing) {
    bool left = event.what == BlockEvent::What::kLeft;
    if (is_early(event.birth_ns) && event.time_ns <= run_.peak_time_ns && !left) {
      site.early_bytes -= event.size;
      --site.early_blocks;
    }
    if (left) {
      ++site.left_blocks;
      site.left_bytes[quarter_of(event.birth_ns)] += event.size;
    }
    if (event.what == BlockEvent::What::kFreed) freed(event, site, passing);
  }

  void freed(const BlockEvent& event, SiteFacts& site, Passing& passing) {
    ++site.freed;
    if (event.by != event.thread) ++site.freed_by_other;
    if (event.temporary) site.temporary_bytes += event.size;
    uint64_t births = births_of(event.by);
    bool goes_on = passing.last_free_births == births && passing.last_free_thread == event.by;
    if (!goes_on) ++site.free_runs;
    passing.last_free_births = births;
    passing.last_free_thread = event.by;
  }

  bool is_early(uint64_t birth_ns) const {
    return birth_ns <= early_end_ns_ && birth_ns <= run_.peak_time_ns;
  }

  size_t quarter_of(uint64_t time_ns) const {
    if (run_.duration_ns == 0) return 0;
    double share = static_cast<double>(time_ns) / static_cast<double>(run_.duration_ns);
    return std::min(static_cast<size_t>(share * kQuarters), kQuarters - 1);
  }

  uint64_t& births_of(uint32_t thread) {
    if (thread >= births_.size()) births_.resize(thread + 1, 0);
    return births_[thread];
  }

  // What the sites of a neighbourhood did together.
  void tell_neighbours() {
    struct Times {
      uint64_t before = 0;
      uint64_t after = 0;
    };
    // Names are asked for only if somebody could be told something.
    bool any = std::any_of(run_.sites.begin(), run_.sites.end(), [this](const SiteFacts& site) {
      return site.early_bytes * 100 >= run_.peak_bytes && site.early_bytes > 0;
    });
    if (!any) return;
    std::unordered_map<uint32_t, Times> times;
    for (size_t i = 0; i < passing_.size(); ++i) {
      const Passing& passing = passing_[i];
      Times& all = times[neighbours_.neighbourhood(run_.sites[i].sites.front())];
      all.before = std::max(all.before, passing.last_early_ns);
      uint64_t late = passing.first_late_ns;
      if (late > 0 && (all.after == 0 || late < all.after)) all.after = late;
    }
    for (SiteFacts& site : run_.sites) {
      const Times& all = times[neighbours_.neighbourhood(site.sites.front())];
      site.neighbours_before_ns = all.before;
      site.neighbours_after_ns = all.after;
    }
  }

  RunFacts& run_;
  SiteTable& table_;
  Neighbours neighbours_;
  GrowthWatch growth_;
  uint64_t early_end_ns_;
  std::vector<Passing> passing_;  // as the sites
  std::vector<uint64_t> births_;  // by thread
};

Question all_figures() {
  Question question;
  question.sort = Measure::kCalls;
  question.wanted.lifetimes = true;
  question.wanted.sizes = true;
  question.wanted.threads = true;
  return question;
}

// What the system's libraries keep on purpose is nobody's fault.
void forget_suppressed(Ledgers& ledgers, uint32_t ledger, RunFacts& run) {
  bool any = std::any_of(run.sites.begin(), run.sites.end(),
                         [](const SiteFacts& site) { return site.left_blocks > 0; });
  if (!any) return;
  Question question;
  question.ledger = ledger;
  NeverFreed never_freed = ledgers.never_freed(Suppressions::built_in(), question);
  std::vector<uint32_t> told;
  for (const Row& row : never_freed.answer.rows) told.push_back(row.site);
  std::sort(told.begin(), told.end());
  for (SiteFacts& site : run.sites) {
    if (site.left_blocks == 0 || std::binary_search(told.begin(), told.end(), site.sites.front())) {
      continue;
    }
    site.early_bytes = 0;
    site.early_blocks = 0;
    site.left_blocks = 0;
    site.left_bytes = {};
  }
}

constexpr uint64_t kCacheLine = 64;

// The alignment that a call asks for, in words or by its name.
uint64_t alignment_of(const CallFacts& call, uint64_t page_bytes) {
  std::string_view function = call.function;
  return function == "valloc" || function == "pvalloc" ? page_bytes : call.alignment;
}

// Nothing to do when no such call was made.
void watch_alignments(SharedPass& pass, const LedgerFacts& facts, SiteTable& table) {
  bool any = false;
  for (const format::FunctionRow& row : format::kFunctionTable) {
    bool aligned = row.aligned || std::string_view(row.name).ends_with("valloc");
    any = any || (aligned && facts.by_function[static_cast<size_t>(row.id)] > 0);
  }
  if (!any) return;
  uint64_t page_bytes = facts.page_bytes == 0 ? 4096 : facts.page_bytes;
  pass.calls([page_bytes, &table](const CallFacts& call) {
    if (!call.allocates || !call.has_site) return;
    uint64_t alignment = alignment_of(call, page_bytes);
    if (alignment <= kCacheLine || call.size >= alignment) return;
    SiteFacts& site = table[call.site];
    ++site.over_aligned_calls;
    site.over_aligned_bytes += alignment - call.size;
    site.largest_alignment = std::max(site.largest_alignment, alignment);
  });
}

// Other processes have memory of their own; and a forked one has blocks that are not in its ledger.
void collect_fragmentation(Ledgers& ledgers, RunFacts& run, SiteTable& table) {
  if (ledgers.facts().size() != 1) return;
  const auto& entries = ledgers.facts().front().entries_by_kind;
  if (entries[static_cast<size_t>(format::Kind::kResident)] == 0) return;  // nobody has looked
  WhereRss where = ledgers.where_rss({MomentSpec::Kind::kRssPeak, 0, 0, {}});
  if (!where.has_look || where.has_inherited) return;
  run.rss_bytes = where.rss_bytes;
  for (const SiteBytes& pinned : where.pinned_by_site) {
    table[pinned.site].pinned_bytes += pinned.bytes;
  }
}

}  // namespace

RunFacts collect(Ledgers& ledgers, uint32_t ledger) {
  const Overview& overview = ledgers.overview();
  const LedgerFacts& facts = ledgers.facts().at(ledger);
  RunFacts run;
  run.calls = facts.totals.calls;
  run.bytes = facts.totals.bytes;
  run.peak_bytes = facts.totals.peak_bytes;
  run.peak_time_ns = overview.peak_time_ns;
  run.duration_ns = overview.duration_ns;
  run.rounding = rounding_of(facts.allocator);
  for (const ThreadFacts& thread : facts.threads) run.threads.push_back(thread.name);
  SiteTable table(run.sites);
  BlockPass blocks(ledgers, run, table);
  Question question;
  question.ledger = ledger;
  Answer figures;
  SharedPass pass(ledgers, question);
  pass.ask(all_figures(), figures);
  pass.block_events([&blocks](const BlockEvent& event) { blocks.see(event); });
  watch_alignments(pass, facts, table);
  pass.run();
  blocks.finish();
  table.put_first(figures.rows);
  for (Row& row : figures.rows) table[row.site].figures = std::move(row.all);
  forget_suppressed(ledgers, ledger, run);
  collect_fragmentation(ledgers, run, table);
  return run;
}

}  // namespace heapledger
