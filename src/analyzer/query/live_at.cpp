// Ledgers: what is live at a moment, from sealed ledgers without reading all of them.
#include <algorithm>

#include "analyzer/error.h"
#include "analyzer/process_scan.h"
#include "analyzer/query.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/seal/live_scan.h"

namespace heapledger {

// How far each ledger has to be scanned.
struct LiveMoment {
  bool at_start = false;
  bool at_end = false;                  // of each process
  uint64_t time_ns = 0;                 // else: everything up to then …
  std::optional<uint32_t> held_ledger;  // … and in this one up to there
  seal::LiveScan::Hold hold;
};

namespace {

using Hold = seal::LiveScan::Hold;

// A birth may have waited for a death, and that death for another birth.
constexpr uint64_t kWaits = 2;

Cell live_part(const Cell& cell) {
  Cell live;
  live.live_blocks = cell.live_blocks;
  live.live_bytes = cell.live_bytes;
  live.live_variance = cell.live_variance;
  return live;
}

}  // namespace

const std::vector<ThreadFacts>& Ledgers::Parts::threads_of(uint32_t ledger,
                                                           const Counted& counted) const {
  return counted.from_briefs ? briefs[ledger].facts.threads : ledgers()[ledger].threads;
}

bool Ledgers::Parts::read_briefs() {
  if (briefs_tried) return !briefs.empty();
  briefs_tried = true;
  std::vector<Brief> reading(set.size());
  for (uint32_t i = 0; i < set.size(); ++i) {
    if (!read_brief(set.open(i), set.sites_of(i), set.sampling(i), i, reading[i])) return false;
  }
  briefs = std::move(reading);
  return true;
}

uint64_t Ledgers::Parts::duration() const {
  uint64_t end = 0;
  for (uint32_t i = 0; i < briefs.size(); ++i) {
    end = std::max(end, set.since_start({briefs[i].end_time, i}));
  }
  return end;
}

// False when only a scan of everything can tell.
bool Ledgers::Parts::find_live_moment(const MomentSpec& moment, LiveMoment& found) {
  using Kind = MomentSpec::Kind;
  const uint64_t end = duration();
  auto at_time = [&](uint64_t time) {
    found.at_end = time >= end;
    found.time_ns = std::min(time, end);
    return true;
  };
  switch (moment.kind) {
    case Kind::kStart:
      return found.at_start = true;
    case Kind::kEnd:
      return at_time(end);
    case Kind::kTime:
      return at_time(moment.time_ns);
    case Kind::kPercent:
      if (moment.percent >= 100) return at_time(end);
      return at_time(static_cast<uint64_t>(static_cast<double>(end) * moment.percent / 100));
    case Kind::kPeak: {
      if (std::all_of(briefs.begin(), briefs.end(), [](const Brief& b) { return b.facts.live; })) {
        return at_time(end);
      }
      const Account* sum = is_read() ? &view().accounts.sum() : nullptr;
      if (sum == nullptr || set.size() > 1 || sum->peak_bytes == 0) return false;
      found.held_ledger = sum->peak.ledger;
      found.hold = {Hold::At::kBytes, sum->peak.time, {}, sum->peak_bytes};
      break;
    }
    case Kind::kRssPeak: {
      if (!is_read() || set.size() > 1 || view().peaks.rss_sample == 0) return false;
      Moment peak = view().peaks.rss_moment;
      found.held_ledger = peak.ledger;
      found.hold = {Hold::At::kSample, peak.time, {}, 0};
      break;
    }
    case Kind::kMarker: {
      std::vector<Marker> known;
      for (uint32_t i = 0; i < briefs.size(); ++i) {
        for (const Brief::Note& marker : briefs[i].markers) {
          uint64_t time = set.since_start({marker.time, i});
          known.push_back({marker.text, time, i});
          if (marker.text != moment.marker || (found.held_ledger && time >= found.time_ns))
            continue;
          found.held_ledger = i;
          found.time_ns = time;
          found.hold = {Hold::At::kMarker, marker.time, marker.text, 0};
        }
      }
      if (!found.held_ledger) refuse_marker(moment.marker, known);
    }
  }
  found.time_ns = set.since_start({found.hold.time, *found.held_ledger});
  return true;
}

// So that whoever waits can give up.
void Ledgers::Parts::run_in_steps(seal::LiveScan& scan, uint64_t from, uint64_t until) const {
  constexpr uint64_t kSteps = 64;
  for (uint64_t step = 1; step < kSteps && from < until; ++step) {
    if (own->asker.stop.stop_requested()) throw Error("cancelled", ErrorKind::kCancelled);
    scan.run(from + (until - from) / kSteps * step);
  }
}

// False when the moment was not met. No scan: the process had ended.
bool Ledgers::Parts::scan_to(const LiveMoment& moment, uint32_t ledger,
                             std::unique_ptr<seal::LiveScan>& scan) const {
  if (moment.at_start) return true;
  const Brief& brief = briefs[ledger];
  bool held = moment.held_ledger == ledger;
  uint64_t until = moment.at_end ? UINT64_MAX
                   : held        ? moment.hold.time
                                 : set.units_at(ledger, moment.time_ns);
  if (!moment.at_end && !held && brief.end_time <= until) return true;
  uint64_t before = held && until > 0 ? until - 1 : until;
  std::optional<seal::Checkpoint> from = brief.file->checkpoint_before(before);
  scan = from ? std::make_unique<seal::LiveScan>(*brief.file, *from)
              : std::make_unique<seal::LiveScan>(*brief.file);
  scan->weigh_with(set.sampling(ledger));
  if (held) scan->hold(moment.hold);
  run_in_steps(*scan, from ? from->time : 0, std::min(until, brief.end_time));
  scan->run(until);
  if (moment.at_end) scan->finish();
  if (!held) return true;
  if (!scan->held() && moment.hold.at == Hold::At::kBytes) {
    Slack slack = slack_for(*brief.file);
    scan->run(until + kWaits * (slack.birth + slack.death));
  }
  return scan->held();
}

bool Ledgers::Parts::count_live(const Question& question, Counted& counted) {
  LiveMoment moment;
  // Checkpoints are of malloc's heap.
  bool other_heaps = !question.filter.heaps.empty() || !own->looked_at.empty();
  bool needs_more = question.between || !question.filter.lifetime_ns.is_open() || other_heaps ||
                    key_of(question) == CellKey::kLifetimeClass ||
                    key_of(question) == CellKey::kHeap;
  if (is_read()) own->view = views.front();
  if (needs_more || !read_briefs() || !find_live_moment(question.at, moment)) return false;

  std::vector<std::unique_ptr<seal::LiveScan>> scans(set.size());
  for (uint32_t i = 0; i < set.size(); ++i) {
    if (!scan_to(moment, i, scans[i])) return false;
  }
  // Here an account is a site that has live blocks.
  std::vector<uint32_t> accounts(set.catalog().size() + 1, IdTable::kNone);
  live_sites.clear();
  auto node_of = [&](uint32_t ledger, const LiveBlock& block) {
    uint32_t node = set.sites_of(ledger).node_of(block.account);
    return node != IdTable::kNone ? node : set.catalog().unknown_site();
  };
  for (uint32_t i = 0; i < scans.size(); ++i) {
    if (scans[i] == nullptr) continue;
    scans[i]->live().for_each([&](const LiveBlock& block) {
      briefs[i].thread(block.thread);
      uint32_t& account = accounts[node_of(i, block)];
      if (account != IdTable::kNone) return;
      account = static_cast<uint32_t>(live_sites.size());
      live_sites.push_back(node_of(i, block));
    });
  }
  counted.sites = &live_sites;
  counted.from_briefs = true;
  counted.by_account = key_of(question) == CellKey::kAccount;
  if (question.filter.on_stacks()) {
    counted.selected = select_stacks(question.filter, live_sites, names());
  }

  Plan plan;
  plan.key = key_of(question);
  plan.end.what = Watch::What::kEnd;  // a block that is there counts as live
  select_blocks(question, counted, plan);
  plan.accounts = counted.selected;
  plan.max_cells = kMaxSizeGroups;
  plan.cell_peaks = false;
  Tally tally(set, plan, static_cast<uint32_t>(live_sites.size()));
  for (uint32_t i = 0; i < scans.size(); ++i) {
    if (scans[i] == nullptr) continue;
    scans[i]->live().for_each([&](LiveBlock block) {
      block.account = accounts[node_of(i, block)];
      block.thread = briefs[i].thread(block.thread) & kThreadBits;
      const Weight weight = set.sampling(i).of(block);
      tally.born(i, block, weight);
      tally.left(i, block, block.time, weight);
    });
  }
  counted.tallied = tally.take();
  counted.sizes = tally.sizes();
  counted.threads = tally.threads();
  counted.end_ns = moment.time_ns;
  return true;
}

// What the whole recording adds up to is in the accounts or in the index; what is live at the
// moment is a scan from the checkpoint before it. False when it takes a pass.
bool Ledgers::Parts::count_at(const Question& question, bool some_left_out, Counted& counted) {
  if (question.between || view().heaps != HeapChoice{}) return false;
  std::optional<IndexCount> whole;
  if (is_in_accounts(question, set.size())) {
    Question at_start = question;  // where nothing is live
    at_start.at = {MomentSpec::Kind::kStart, 0, 0, {}};
    whole = IndexCount{tally_accounts(at_start, view()), true, {}};
  } else if (const auto from = index_reader(); from != nullptr && !some_left_out) {
    whole = from->count_whole(question, counted.selected);
  }
  LiveMoment moment;
  if (!whole || !read_briefs() || !find_live_moment(question.at, moment)) return false;
  std::vector<std::unique_ptr<seal::LiveScan>> scans(set.size());
  for (uint32_t i = 0; i < set.size(); ++i) {
    if (!scan_to(moment, i, scans[i])) return false;
  }
  const bool known = whole->by_account && !question.filter.on_blocks() && !question.ledger
                         ? add_live_of_accounts(scans, whole->tallied.cells)
                         : add_live_of_blocks(question, scans, counted, *whole);
  if (!known) return false;
  counted.tallied = std::move(whole->tallied);
  counted.threads = std::move(whole->threads);
  counted.by_account = whole->by_account;
  counted.end_ns = resolve(question.at).time_ns;
  return true;
}

// UINT32_MAX: it has none.
uint32_t Ledgers::Parts::account_of(uint32_t ledger, const LiveBlock& block) {
  const uint32_t node = set.sites_of(ledger).node_of(block.account);
  const uint32_t account =
      set.catalog().account_of(node != IdTable::kNone ? node : set.catalog().unknown_site());
  return account < sites.size() ? account : UINT32_MAX;
}

bool Ledgers::Parts::add_live_of_accounts(const LiveScans& scans, Paged<Cell>& cells) {
  bool known = true;
  for (uint32_t i = 0; i < scans.size(); ++i) {
    if (scans[i] == nullptr) continue;
    scans[i]->live().for_each([&](const LiveBlock& block) {
      const uint32_t account = account_of(i, block);
      known = known && account < cells.size();
      if (!known) return;
      const Weight weight = set.sampling(i).of(block);
      cells[account].live_blocks += weight.calls;
      cells[account].live_bytes += weight.bytes;
      cells[account].live_variance += weight.bytes_variance;
    });
  }
  return known;
}

// As a pass would tell them apart; its cells for threads may come in another order.
bool Ledgers::Parts::add_live_of_blocks(const Question& question, const LiveScans& scans,
                                        const Counted& counted, IndexCount& whole) {
  Plan plan;
  plan.key = key_of(question);
  plan.end.what = Watch::What::kEnd;  // a block that is there counts as live
  select_blocks(question, counted, plan);
  plan.accounts = counted.selected;
  plan.cell_peaks = false;
  Tally tally(set, plan, static_cast<uint32_t>(sites.size()));
  bool known = true;
  for (uint32_t i = 0; i < scans.size(); ++i) {
    if (scans[i] == nullptr) continue;
    IdTable places;  // of threads, by their index in the ledger
    const std::vector<ThreadFacts>& threads = ledgers()[i].threads;
    for (uint32_t place = 0; place < threads.size(); ++place) {
      places.set(threads[place].index, place);
    }
    scans[i]->live().for_each([&](LiveBlock block) {
      block.account = account_of(i, block);
      block.thread = places.find(block.thread);
      known = known && block.account != UINT32_MAX && block.thread != IdTable::kNone;
      if (!known) return;
      const Weight weight = set.sampling(i).of(block);
      tally.born(i, block, weight);
      tally.left(i, block, block.time, weight);
    });
  }
  if (!known) return false;
  const Tallied live = tally.take();
  for (uint32_t i = 0; i < live.cells.size(); ++i) {
    uint32_t cell = i;
    if (plan.key == CellKey::kThread) {
      const ThreadId& thread = tally.threads()[i];
      auto at = std::lower_bound(whole.threads.begin(), whole.threads.end(), thread);
      if (at == whole.threads.end() || *at != thread) return false;
      cell = static_cast<uint32_t>(at - whole.threads.begin());
    }
    if (cell >= whole.tallied.cells.size()) return false;
    Cell& to = whole.tallied.cells[cell];
    to.live_blocks = live.cells[i].live_blocks;
    to.live_bytes = live.cells[i].live_bytes;
    to.live_variance = live.cells[i].live_variance;
  }
  return true;
}

// What each process has left at its end, without those accounts. False when it takes a pass.
bool Ledgers::Parts::count_left(const std::vector<char>& left_out, Counted& counted) {
  if (view().heaps != HeapChoice{} || !read_briefs()) return false;
  LiveMoment moment;
  moment.at_end = true;
  counted = {};
  counted.sites = &sites;
  counted.added = view().heaps;
  counted.end_ns = view().overview.duration_ns;
  Paged<Cell>& cells = counted.tallied.cells;
  cells.grow_to(static_cast<uint32_t>(set.size()));
  for (uint32_t i = 0; i < set.size(); ++i) {
    std::unique_ptr<seal::LiveScan> scan;
    if (!scan_to(moment, i, scan)) return false;
    const LedgerSites& of = set.sites_of(i);
    scan->live().for_each([&](const LiveBlock& block) {
      const uint32_t node = of.node_of(block.account);
      const uint32_t account =
          set.catalog().account_of(node != IdTable::kNone ? node : set.catalog().unknown_site());
      if (account < left_out.size() && left_out[account] != 0) return;
      const Weight weight = set.sampling(i).of(block);
      cells[i].live_blocks += weight.calls;
      cells[i].live_bytes += weight.bytes;
      cells[i].live_variance += weight.bytes_variance;
    });
  }
  return true;
}

// Leaves the live figures of what has some, in an order that is the same wherever they are from.
void Ledgers::Parts::keep_live(const Question& question, Counted& counted) {
  const Paged<Cell>& from = counted.tallied.cells;
  const CellKey key = key_of(question);
  const bool listed = counted.by_account || key == CellKey::kThread || key == CellKey::kSize;
  auto place_of = [&](uint32_t cell) -> uint64_t {
    if (counted.by_account) {
      return cell < counted.sites->size() ? (*counted.sites)[cell] : SiteCatalog::kRoot;
    }
    if (key == CellKey::kSize) {
      return cell < counted.sizes.size() ? counted.sizes[cell] : kOtherSizes;
    }
    return cell;
  };
  auto thread_of = [&](uint32_t cell) {
    auto [ledger, place] = counted.threads[cell];
    const std::vector<ThreadFacts>& threads = threads_of(ledger, counted);
    return std::pair(ledger, place < threads.size() ? threads[place].tid : 0);
  };
  std::vector<uint32_t> kept;
  for (uint32_t i = 0; i < from.size(); ++i) {
    bool selected = !counted.by_account || counted.selected.empty() ||
                    (i < counted.selected.size() && counted.selected[i] != 0);
    if (!listed || (selected && from[i].live_blocks > 0)) kept.push_back(i);
  }
  std::stable_sort(kept.begin(), kept.end(), [&](uint32_t a, uint32_t b) {
    return key == CellKey::kThread ? thread_of(a) < thread_of(b) : place_of(a) < place_of(b);
  });
  Tallied live;
  live.cells.grow_to(static_cast<uint32_t>(kept.size()));
  std::vector<uint32_t> places;
  std::vector<uint64_t> sizes;
  std::vector<ThreadId> threads;
  for (uint32_t i = 0; i < kept.size(); ++i) {
    live.cells[i] = live_part(from[kept[i]]);
    if (counted.by_account) places.push_back(static_cast<uint32_t>(place_of(kept[i])));
    if (key == CellKey::kSize) sizes.push_back(place_of(kept[i]));
    if (key == CellKey::kThread) threads.push_back(counted.threads[kept[i]]);
  }
  counted.tallied = std::move(live);
  counted.sizes = std::move(sizes);
  counted.threads = std::move(threads);
  counted.selected.clear();
  live_sites = std::move(places);
  counted.sites = &live_sites;
  counted.grouping.reset();
}

Answer Ledgers::Parts::ask_live(Question question) {
  if (question.sort != Measure::kLiveBlocks) question.sort = Measure::kLiveBytes;
  question.wanted = {};
  check(question, set.size());
  Counted counted;
  // The stacks are put into groups below, those that have something live.
  Question by_cell = question;
  by_cell.tree = TreeShape::kNone;
  by_cell.path.clear();
  by_cell.wanted.no_range_peaks = true;
  if (is_by_stack(question)) by_cell.by = GroupBy::kSite;
  if (is_in_index(by_cell) || !count_live(question, counted)) counted = count(by_cell);
  keep_live(question, counted);
  return answer(question, counted);
}

const std::vector<LedgerFacts>& Ledgers::processes() {
  Turn turn(*this);
  Parts& parts = *parts_;
  if (parts.is_read() || !parts.read_briefs()) return facts();
  std::vector<LedgerFacts>& processes = own_->processes;
  if (processes.empty()) {
    for (const Brief& brief : parts.briefs) processes.push_back(brief.facts);
  }
  for (size_t i = 0; i < parts.briefs.size(); ++i) {
    LedgerFacts& facts = processes[i];  // more damage may have been met since
    parts.briefs[i].file->tell_if_cut();
    facts.problems = parts.briefs[i].file->problems().texts();
    facts.complete = facts.complete && facts.problems.empty();
  }
  return processes;
}

uint64_t Ledgers::duration_ns() {
  Turn turn(*this);
  bool brief = !parts_->is_read() && parts_->read_briefs();
  return brief ? parts_->duration() : overview().duration_ns;
}

uint64_t Ledgers::Parts::time_of(const MomentSpec& moment) {
  LiveMoment found;
  if (!is_read() && own->looked_at.empty() && read_briefs() && find_live_moment(moment, found)) {
    return found.time_ns;
  }
  look({});
  return resolve(moment).time_ns;
}

uint64_t Ledgers::time_of(const MomentSpec& moment) {
  Turn turn(*this);
  return parts_->time_of(moment);
}

}  // namespace heapledger
