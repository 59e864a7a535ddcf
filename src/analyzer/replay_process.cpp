#include "analyzer/replay_process.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/query/overview.h"
#include "analyzer/stop_reason.h"
#include "format/modes.h"

namespace heapledger {
namespace {

using format::Entry;
using format::Kind;

// Which of kFunctionNames an entry of this kind is a call of; -1: none.
int function_of(Kind kind) {
  switch (kind) {
    case Kind::kMalloc:
      return 0;
    case Kind::kCalloc:
      return 1;
    case Kind::kReallocNew:
    case Kind::kRealloc:
    case Kind::kReallocFree:
      return 2;
    case Kind::kReallocArrayNew:
    case Kind::kReallocArray:
    case Kind::kReallocArrayFree:
      return 3;
    case Kind::kPosixMemalign:
      return 4;
    case Kind::kAlignedAlloc:
      return 5;
    case Kind::kMemalign:
      return 6;
    case Kind::kValloc:
      return 7;
    case Kind::kPvalloc:
      return 8;
    case Kind::kFree:
      return 9;
    case Kind::kFreeSized:
      return 10;
    case Kind::kFreeAlignedSized:
      return 11;
    default:
      return -1;
  }
}

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
  for (size_t i = 0; i < facts.by_function.size(); ++i) {
    facts.by_function[i] += counts.functions[i].calls + counts.functions[i].frees;
  }
}

}  // namespace

Slack slack_for(const LedgerFile& file) {
  if (file.index().windows().size() < 2) return {};  // the entries of one thread are in order
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

void tell_file(LedgerFile& file, uint64_t end_time, LedgerFacts& facts) {
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
  if (header.stop_reason != 0) facts.stopped = describe_stop(header);
  facts.unrecorded = read_unrecorded(file.unrecorded());
  file.tell_if_cut();
  facts.problems = file.problems().texts();
  facts.complete = !facts.stopped && facts.totals.missed == 0 && facts.problems.empty();
}

ReplayProcess::ReplayProcess(LedgerFile& file, uint32_t number, LedgerSites& sites,
                             Sampling& sampling, Progress& progress)
    : file_(file),
      sites_(sites),
      sampling_(sampling),
      progress_(progress),
      gaps_(file.header().mode),
      pools_(slack_for(file)),
      number_(number),
      forked_(file.header().origin == static_cast<uint32_t>(format::Origin::kForked)),
      guarded_((file.header().flags & format::kFlagGuard) != 0) {}

void ReplayProcess::begin_block(Stream& stream) {
  progress_.add(format::kBlockBytes);
  stream.thread = notes_.thread(stream.block_thread());
  last_allocated_.resize(notes_.threads());
}

void ReplayProcess::note(Stream& stream, const Entry& entry) {
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
    case Kind::kMap:
    case Kind::kUnmap:
    case Kind::kRemap:
    case Kind::kBreak:
      mappings_.note(entry);
      break;
    case Kind::kMode:
      sampling_.change(entry.time, entry.fields);
      gaps_.change(entry.time, entry.fields);
      break;
    case Kind::kPool:
    case Kind::kPoolAllocate:
    case Kind::kPoolFree:
    case Kind::kPoolResize:
      pools_.note(entry, stream.thread);
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
bool ReplayProcess::read_sample(const Entry& entry, MemorySample& sample) {
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

bool ReplayProcess::read_before(const Entry& entry, uint32_t& site, SiteBefore& before) {
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

void ReplayProcess::add_marker(const Entry& entry) {
  if (markers_.size() == kMaxMarkers) return;
  markers_.push_back(
      {std::string(entry.fields.substr(0, kMaxMarkerText)), clock().ns_since_start(entry.time)});
}

uint64_t ReplayProcess::take_time(uint32_t thread) {
  return thread < times_.size() ? std::exchange(times_[thread], 0) : 0;
}

void ReplayProcess::died_unborn(uint64_t address) {
  if (forked_) {
    foreign_deaths_.push_back(address);
  } else {
    ++totals_.unmatched_frees;
  }
}

void ReplayProcess::damaged(const Stream& stream, const Entry& entry, uint32_t account) {
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

uint64_t ReplayProcess::end_time() const {
  return end_time_of(file_, last_time_);
}

void ReplayProcess::tell(LedgerFacts& facts) {
  notes_.tell(facts);
  facts.still_running = still_running_;
  facts.entries_by_kind = entries_by_kind_;
  for (unsigned kind = 0; kind < entries_by_kind_.size(); ++kind) {
    facts.entries += entries_by_kind_[kind];
    int function = function_of(static_cast<Kind>(kind));
    // Of the blocks of a live heap nobody knows which function returned them.
    if (function >= 0 && !is_live(file_.header())) {
      facts.by_function[static_cast<size_t>(function)] +=
          entries_by_kind_[kind] + more_by_kind_[kind];
    }
  }
  totals_.peak_time_ns = clock().ns_since_start(peak_time_);
  facts.totals = totals_;
  facts.counts = read_counts(file_);
  auto node_of = [this](uint32_t site) {
    uint32_t node = sites_.node_of(site);
    return node == IdTable::kNone ? SiteCatalog::kRoot : node;
  };
  facts.mappings =
      mappings_.tell(node_of, [this](uint64_t time) { return clock().ns_since_start(time); });
  facts.mappings.recorded |= (file_.header().flags & format::kFlagMaps) != 0;
  for (DamageFacts& damage : damages_) damage.noticed = node_of(damage.noticed);
  facts.guarded = guarded_;
  facts.damages = std::move(damages_);
  facts.damage_count = damage_count_;
  add_counts(facts);
  tell_file(file_, end_time(), facts);
  facts.sampled = !sampling_.exact();
  facts.gaps = gaps_.count();
  double gap_ns = static_cast<double>(gaps_.units(end_time())) * std::exp2(facts.time_shift) *
                  facts.ns_per_tick;
  facts.gap_ns = std::min(facts.duration_ns, static_cast<uint64_t>(std::min(gap_ns, 1e18)));
  facts.complete = facts.complete && facts.gaps == 0;
  facts.pools = pools_.tell(sites_);
  facts.markers = std::move(markers_);
}

}  // namespace heapledger
