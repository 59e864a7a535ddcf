#include "analyzer/process_scan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analyzer/query/overview.h"
#include "analyzer/seal/checkpoint.h"
#include "analyzer/stop_reason.h"
#include "format/modes.h"
#include "format/outside.h"

namespace heapledger {
namespace {

using format::Entry;
using format::Kind;

bool is_live(const format::FileHeader& header) {
  return header.mode == format::kModeLive;
}

// What was counted adds to what was entered.
void add_counts(LedgerFacts& facts) {
  const ThreadCounts& counts = facts.counts.all;
  facts.totals.calls += counts.all.calls;
  facts.totals.bytes += counts.all.bytes;
  facts.totals.frees += counts.all.frees;
  facts.totals.resizes += counts.all.resizes;
  for (size_t i = 0; i < format::kHeapFunctions; ++i) {
    if (i == static_cast<size_t>(format::Function::kUsableSize)) continue;
    facts.by_function[i] += counts.functions[i].calls + counts.functions[i].frees;
  }
}

// Of those that only counted, the tables tell how many have no entry; in ledgers that do not say
// so every one of them may have one.
uint64_t threads_seen(uint64_t entered, const ThreadCounts& counts) {
  return counts.only > 0 ? entered + counts.only : std::max(entered, counts.threads);
}

// Of the functions that another file has, too: whether no call has come to us, so that it does not
// pass them on.
bool none_seen(const LedgerFacts& facts) {
  if (facts.live) return facts.totals.calls == 0;
  for (const format::FunctionRow& row : format::kFunctionTable) {
    const auto& names = facts.bypassed;
    if (facts.by_function[static_cast<size_t>(row.id)] == 0) continue;
    if (std::find(names.begin(), names.end(), row.name) != names.end()) return false;
  }
  return true;
}

}  // namespace

Slack slack_for(const LedgerFile& file) {
  const std::vector<WindowExtents>& windows = file.index().windows();
  const bool watched = !windows.empty() && windows.back().front().window == format::kOutsideWindow;
  // The entries of one thread are in order; those from outside are about no block.
  if (windows.size() < (watched ? 3u : 2u)) return {};
  const LedgerClock& clock = file.clock();
  // A forked process frees blocks it inherited all the time, and their addresses are used again at
  // once: there the death of an unknown block waits only as long as clocks are read too early.
  bool forked = file.header().origin == static_cast<uint32_t>(format::Origin::kForked);
  uint64_t birth = clock.units_in_ns(kSlackNs);
  uint64_t death = clock.units_in_ns(forked ? kForkedSlackNs : kSlackNs);
  return {std::max<uint64_t>(1, birth), std::max<uint64_t>(1, death)};
}

uint64_t end_time_of(const LedgerFile& file, uint64_t last_time) {
  const format::FileHeader& header = file.header();
  uint64_t ticks = std::max({header.exit_ticks, header.latest[0].ticks, header.latest[1].ticks});
  return std::max(last_time, file.clock().units_of_ticks(ticks));
}

void tell_file(LedgerFile& file, uint64_t end_time, uint64_t last_mode, LedgerFacts& facts) {
  const format::FileHeader& header = file.header();
  const LedgerClock& clock = file.clock();
  facts.path = file.name();
  facts.file_bytes = file.size();
  facts.sealed = file.sealed();
  facts.version = header.version;
  facts.machine = header.machine;
  facts.page_bytes = header.page_bytes;
  facts.pid = header.pid;
  facts.parent_pid = header.parent_pid;
  facts.run_id = header.run_id;
  facts.mode = header.mode;
  facts.live = is_live(header);
  facts.has_times = !facts.live || (header.flags & format::kFlagNoTimes) == 0;
  facts.origin = header.origin == static_cast<uint32_t>(format::Origin::kForked)
                     ? format::Origin::kForked
                     : format::Origin::kStarted;

  facts.start_wall_ns = clock.start_wall_ns();
  facts.duration_ns = clock.ns_since_start(end_time);
  facts.ns_per_tick = clock.ns_per_tick();
  facts.time_shift = header.time_shift;
  facts.calibrated = clock.calibrated();
  facts.exited = header.exit_ticks != 0;
  facts.stacks_checked = header.stacks_checked;
  facts.stacks_differing = header.stacks_differing;

  const Sampling sampling(header);
  facts.sampled = !sampling.exact();
  facts.sample_bytes = sampling.mean_bytes();
  facts.sample_calls = sampling.mean_calls();
  facts.has_time = facts.sampled && (header.flags & format::kFlagTime) != 0;

  facts.windows = file.index().counts().windows;
  facts.chunks = file.index().counts().chunks;
  facts.holes = file.index().counts().holes;

  uint64_t missed = header.missed + file.index().missed();
  facts.totals.missed = missed < header.missed ? UINT64_MAX : missed;
  if (header.stop_reason != 0) {
    // Counting needs nothing that could end.
    (last_mode == format::kModeCount ? facts.unwatched : facts.stopped) = describe_stop(header);
  }
  facts.unrecorded = read_unrecorded(file.unrecorded());
  facts.thread_count = threads_seen(facts.threads.size(), read_counts(file).all);
  file.tell_if_cut();
  facts.problems = file.problems().texts();
  facts.complete = !facts.stopped && facts.totals.missed == 0 && facts.problems.empty();
}

ProcessScan::ProcessScan(LedgerFile& file, uint32_t number, LedgerParts parts, Progress& progress)
    : file_(file),
      sites_(parts.sites),
      sampling_(parts.sampling),
      heaps_(parts.heaps),
      progress_(progress),
      checkpoints_(parts.checkpoints),
      gaps_(file.header().mode),
      number_(number),
      forked_(file.header().origin == static_cast<uint32_t>(format::Origin::kForked)),
      guarded_((file.header().flags & format::kFlagGuard) != 0) {}

void ProcessScan::begin_extent(Stream& stream) {
  progress_.add(format::kExtentBytes);
  stream.thread = notes_.thread(stream.extent_thread());
  last_allocated_.resize(notes_.threads());
}

void ProcessScan::note(Stream& stream, const Entry& entry) {
  switch (entry.kind) {
    case Kind::kThread: {
      uint32_t thread = notes_.introduce_thread(entry.fields);
      if (thread != IdTable::kNone) stream.thread = thread;
      last_allocated_.resize(notes_.threads());
      break;
    }
    case Kind::kThreadName:
      notes_.rename_thread(stream.thread, entry.fields);
      break;
    case Kind::kSite: {
      format::FieldReader fields(entry.fields);
      uint64_t id, parent, module, pc;
      if (fields.number(id) && fields.number(parent) && fields.number(module) &&
          fields.number(pc) && std::max({id, parent, module}) <= UINT32_MAX) {
        sites_.define_site(static_cast<uint32_t>(id), static_cast<uint32_t>(parent),
                           static_cast<uint32_t>(module), pc, {entry.time, number_});
      }
      break;
    }
    case Kind::kCode:
      sites_.define_code(entry.fields);
      break;
    case Kind::kChain:
      sites_.define_chain(entry.fields, {entry.time, number_});
      break;
    case Kind::kFrame:
      sites_.define_frame(entry.fields, {entry.time, number_});
      break;
    case Kind::kModule: {
      ModuleNote module;
      if (!read_module(entry.fields, module)) break;
      notes_.add_module(module);
      sites_.define_module(module.id, module.bias, module.path, module.build_id);
      break;
    }
    case Kind::kUnload:
      notes_.unload_module(entry.fields);
      break;
    case Kind::kInfo:
      notes_.add_info(entry.fields);
      break;
    case Kind::kMode:
      sampling_.change(entry.time, entry.fields);
      gaps_.change(entry.time, entry.fields);
      break;
    case Kind::kPool:
    case Kind::kHeap:
      if (format::HeapNote heap; format::read_heap_note(entry, heap)) heaps_.name(heap);
      break;
    case Kind::kSampleTime: {
      format::FieldReader fields(entry.fields);
      uint64_t ns;
      if (!fields.number(ns)) break;
      if (stream.thread >= times_.size()) times_.resize(stream.thread + 1);
      times_[stream.thread] += ns;
      has_times_ = true;
      break;
    }
    default:
      break;  // kFork says nothing we keep; other kinds are from a later version
  }
}

// A sample tells the resident memory now and the most there ever was. If that most has grown since
// the sample before, it was reached between the two.
bool ProcessScan::read_sample(const Entry& entry, MemorySample& sample) {
  format::FieldReader fields(entry.fields);
  uint64_t highest, ticks, monotonic;
  if (!fields.number(sample.rss) || !fields.number(highest)) return false;
  sample.time = entry.time;
  sample.most = std::max(sample.rss, highest > totals_.rss_peak_bytes ? highest : 0);
  sample.rose = sample.most > totals_.rss_peak_bytes;
  totals_.rss_peak_bytes = std::max(totals_.rss_peak_bytes, sample.most);
  sample.has_file_rss =
      fields.number(ticks) && fields.number(monotonic) && fields.number(sample.file_rss);
  return true;
}

bool ProcessScan::read_before(const Entry& entry, uint32_t& site, SiteBefore& before) {
  format::FieldReader fields(entry.fields);
  uint64_t id;
  if (!fields.number(id) || !fields.number(before.calls) || !fields.number(before.bytes) ||
      !fields.number(before.peak) || id > UINT32_MAX) {
    return false;
  }
  site = static_cast<uint32_t>(id);
  totals_.calls += before.calls;
  totals_.frees += before.calls;
  totals_.bytes += before.bytes;
  return true;
}

void ProcessScan::add_marker(const Entry& entry) {
  if (markers_.size() == kMaxMarkers) return;
  markers_.push_back(
      {std::string(entry.fields.substr(0, kMaxMarkerText)), clock().ns_since_start(entry.time)});
}

uint32_t ProcessScan::count_in_heap(const format::HeapEvent& event) {
  if (event.function < in_other_heaps_.size()) ++in_other_heaps_[event.function];
  return heaps_.number_of(event.heap);
}

uint64_t ProcessScan::take_time(uint32_t thread) {
  return thread < times_.size() ? std::exchange(times_[thread], 0) : 0;
}

void ProcessScan::died_unborn(uint64_t address) {
  if (forked_) {
    foreign_deaths_.push_back(address);
  } else {
    ++totals_.unmatched_frees;
  }
}

void ProcessScan::damaged(const Stream& stream, const Entry& entry, uint32_t account) {
  format::FieldReader fields(entry.fields);
  DamageFacts damage;
  uint64_t site, kind, offset;
  if (!fields.number(damage.address) || !fields.number(damage.size) || !fields.number(site) ||
      !fields.number(kind) || !fields.number(offset) || kind < 1 || kind > 3) {
    return;
  }
  ++damage_count_;
  if (damages_.size() == kMaxDamages) return;
  damage.kind = static_cast<DamageKind>(kind);
  damage.offset = static_cast<int64_t>(offset);
  damage.time_ns = clock().ns_since_start(entry.time);
  damage.tid = notes_.tid_of(stream.thread);
  damage.allocated = account;
  damage.noticed = static_cast<uint32_t>(site);
  damages_.push_back(damage);
}

uint64_t ProcessScan::end_time() const {
  return end_time_of(file_, last_time_);
}

uint64_t ProcessScan::entries() const {
  return std::accumulate(entries_by_kind_.begin(), entries_by_kind_.end(), uint64_t{0});
}

seal::Checkpoint ProcessScan::checkpoint(uint64_t time, const LiveBlocks& live,
                                         std::vector<RecentDeath> recent) const {
  seal::Checkpoint state{time, entries(), {}, std::move(recent)};
  state.blocks.reserve(live.size());
  live.for_each([&](LiveBlock block) {
    block.account = sites_.site_with_account(block.account);
    block.thread = notes_.index_of(block.thread & kThreadBits);
    state.blocks.push_back(block);
  });
  std::sort(state.blocks.begin(), state.blocks.end(),
            [](const LiveBlock& a, const LiveBlock& b) { return a.address < b.address; });
  for (RecentDeath& death : state.recent) death.thread = notes_.index_of(death.thread);
  return state;
}

void ProcessScan::tell(LedgerFacts& facts) {
  notes_.tell(facts);
  facts.still_running = still_running_;
  facts.entries_by_kind = entries_by_kind_;
  facts.entries = entries();
  for (unsigned kind = 0; kind < entries_by_kind_.size(); ++kind) {
    const format::KindMeaning meaning = format::meaning_of(static_cast<Kind>(kind));
    // Of the blocks of a live heap nobody knows which function returned them.
    if (meaning.event != format::Event::kNote && !is_live(file_.header())) {
      facts.by_function[static_cast<size_t>(meaning.function)] +=
          entries_by_kind_[kind] + more_by_kind_[kind];
    }
  }
  for (size_t i = 0; i < in_other_heaps_.size(); ++i) facts.by_function[i] += in_other_heaps_[i];
  totals_.peak_time_ns = clock().ns_since_start(peak_time_);
  facts.totals = totals_;
  facts.counts = read_counts(file_);
  auto node_of = [this](uint32_t site) {
    uint32_t node = sites_.node_of(site);
    return node == IdTable::kNone ? SiteCatalog::kRoot : node;
  };
  for (DamageFacts& damage : damages_) damage.noticed = node_of(damage.noticed);
  facts.guarded = guarded_;
  facts.damages = std::move(damages_);
  facts.damage_count = damage_count_;
  add_counts(facts);
  tell_file(file_, end_time(), gaps_.mode(), facts);
  facts.sampled = !sampling_.exact();
  facts.gaps = gaps_.count();
  double gap_ns = static_cast<double>(gaps_.units(end_time())) * std::exp2(facts.time_shift) *
                  facts.ns_per_tick;
  facts.gap_ns = std::min(facts.duration_ns, static_cast<uint64_t>(std::min(gap_ns, 1e18)));
  facts.gap_times = gaps_.times(end_time());
  for (Gap& gap : facts.gap_times) {
    gap = {clock().ns_since_start(gap.begin), clock().ns_since_start(gap.end)};
  }
  facts.unseen = !facts.bypassed.empty() && none_seen(facts);
  facts.complete = facts.complete && facts.gaps == 0 && !facts.unseen;
  facts.heaps = heaps_.names();
  facts.markers = std::move(markers_);
}

}  // namespace heapledger
