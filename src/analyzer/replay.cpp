#include "analyzer/replay.h"

#include <algorithm>

#include "analyzer/happening.h"
#include "analyzer/stop_reason.h"

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

Replay::Replay(LedgerFile& file, uint32_t number, Accounts& accounts, SiteCatalog& catalog,
               CommonRss& rss, Progress& progress)
    : file_(file),
      accounts_(accounts),
      rss_(rss),
      progress_(progress),
      sites_(catalog, accounts),
      merge_(file),
      pairing_(*this, slack_for(file)),
      number_(number),
      forked_(file.header().origin == static_cast<uint32_t>(format::Origin::kForked)) {}

// --- births and deaths, paired ---

inline void Replay::born(const LiveBlock& block) {
  ++totals_.calls;
  totals_.bytes += block.size;
  ++live_blocks_;
  live_bytes_ += block.size;
  if (live_bytes_ > totals_.peak_bytes) {
    totals_.peak_bytes = live_bytes_;
    totals_.peak_blocks = live_blocks_;
    peak_time_ = block.time;
  }
  accounts_.born(block.account, block.size, {block.time, number_});
}

inline void Replay::died(const LiveBlock& block, const Death& death) {
  --live_blocks_;
  live_bytes_ -= block.size;
  if (death.by_resize) {
    accounts_.died(block.account, block.size);
    return;
  }
  ++totals_.frees;
  totals_.temporary_calls += death.temporary ? 1 : 0;
  accounts_.freed(block.account, block.size, death.temporary);
}

void Replay::never_born(uint64_t address, const Death&) {
  if (forked_) {
    foreign_deaths_.push_back(address);
  } else {
    ++totals_.unmatched_frees;
  }
}

void Replay::never_died(const LiveBlock& block, uint64_t) {
  --live_blocks_;
  live_bytes_ -= block.size;
  ++totals_.lost_frees;
  accounts_.died(block.account, block.size);
}

// --- entries, in the order of time ---

inline void Replay::allocated(Stream& stream, const Entry& entry) {
  last_allocated_[stream.thread] = entry.pointer;
  if (entry.pointer == 0) return;
  pairing_.birth(
      {entry.pointer, entry.size, entry.end_time, sites_.account_of(entry.site), stream.thread});
}

inline void Replay::freed(Stream& stream, const Entry& entry) {
  uint64_t& last = last_allocated_[stream.thread];
  bool temporary = last == entry.pointer;
  last = 0;
  if (entry.pointer == 0) return;
  pairing_.death(entry.pointer, {entry.time, stream.thread, temporary, false});
}

inline void Replay::resize_begins(Stream& stream, const Entry& entry) {
  last_allocated_[stream.thread] = 0;
  if (entry.old_pointer == 0) return;
  pairing_.death(entry.old_pointer, {entry.time, stream.thread, false, true});
}

inline void Replay::resized(Stream& stream, const Entry& entry) {
  ++totals_.resizes;
  accounts_.resized(sites_.account_of(entry.site));
  allocated(stream, entry);
}

inline void Replay::entry(Stream& stream, const Entry& entry) {
  auto kind = static_cast<unsigned>(entry.kind);
  ++entries_by_kind_[kind];
  switch (happening(entry.kind)) {
    case Happening::kBirth:
      allocated(stream, entry);
      break;
    case Happening::kDeath:
      freed(stream, entry);
      break;
    case Happening::kResize:
      resize_begins(stream, entry);
      break;
    case Happening::kNote:
      noted(stream, entry);
  }
  last_time_ = std::max(last_time_, entry.time);
}

void Replay::block_opened(Stream& stream) {
  progress_.add(format::kBlockBytes);
  stream.thread = notes_.thread(stream.block_thread());
  last_allocated_.resize(notes_.threads());
}

void Replay::noted(Stream& stream, const Entry& entry) {
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
    case Kind::kMemory:
      sampled(entry);
      break;
    case Kind::kInfo:
      notes_.add_info(entry.fields);
      break;
    default:
      break;  // kFork says nothing we keep; other kinds are from a later version
  }
}

// A sample tells the resident memory now and the most there ever was. If that most has grown since
// the sample before, it was reached between the two.
void Replay::sampled(const Entry& entry) {
  format::FieldReader fields(entry.fields);
  uint64_t now, highest;
  if (!fields.number(now) || !fields.number(highest)) return;
  uint64_t most = std::max(now, highest > totals_.rss_peak_bytes ? highest : 0);
  totals_.rss_peak_bytes = std::max(totals_.rss_peak_bytes, most);
  uint64_t others = rss_.now - rss_now_;
  rss_.peak = std::max(rss_.peak, others + most);
  rss_.now = others + now;
  rss_now_ = now;
}

// --- the course of the replay ---

uint64_t Replay::next_time() const {
  return merge_.finished() ? end_time() : merge_.next_time();
}

void Replay::run(uint64_t limit) {
  if (!beyond_safe_time_ && limit >= file_.safe_time()) pass_safe_time();
  merge_.run(limit, *this);
  if (!finished_ && merge_.finished() && end_time() <= limit) process_ended();
}

// The windows of a running program are read one after the other while it goes on; so only what was
// there at the beginning fits together.
void Replay::pass_safe_time() {
  beyond_safe_time_ = true;
  if (file_.safe_time() == 0) return;  // it has only just begun
  merge_.run(file_.safe_time(), *this);
  if (!file_.has_changed()) return;
  still_running_ = true;
  merge_.stop();
}

// When the process was last known to live.
uint64_t Replay::end_time() const {
  const format::FileHeader& header = file_.header();
  uint64_t ticks = std::max({header.exit_ticks, header.latest[0].ticks, header.latest[1].ticks});
  return std::max(last_time_, clock().units_of_ticks(ticks));
}

// What a process has not freed at its end counts as never freed, but is no longer there when
// other processes come to their peak.
void Replay::process_ended() {
  finished_ = true;
  pairing_.finish();
  sites_.finish({last_time_, number_});
  totals_.end_bytes = live_bytes_;
  totals_.end_blocks = live_blocks_;
  pairing_.live().for_each(
      [this](const LiveBlock& block) { accounts_.left(block.account, block.size); });
  rss_.now -= rss_now_;
  rss_now_ = 0;
}

void Replay::tell(LedgerFacts& facts) {
  const format::FileHeader& header = file_.header();
  facts.path = file_.name();
  facts.file_bytes = file_.size();
  facts.version = header.version;
  facts.machine = header.machine;
  facts.page_bytes = header.page_bytes;
  facts.pid = header.pid;
  facts.parent_pid = header.parent_pid;
  facts.run_id = header.run_id;
  facts.origin = forked_ ? format::Origin::kForked : format::Origin::kStarted;
  notes_.tell(facts);

  facts.start_wall_ns = clock().start_wall_ns();
  facts.duration_ns = clock().ns_since_start(end_time());
  facts.ns_per_tick = clock().ns_per_tick();
  facts.time_shift = header.time_shift;
  facts.calibrated = clock().calibrated();
  facts.exited = header.exit_ticks != 0;
  facts.still_running = still_running_;
  facts.stacks_checked = header.stacks_checked;
  facts.stacks_differing = header.stacks_differing;

  facts.entries_by_kind = entries_by_kind_;
  for (unsigned kind = 0; kind < entries_by_kind_.size(); ++kind) {
    facts.entries += entries_by_kind_[kind];
    int function = function_of(static_cast<Kind>(kind));
    if (function >= 0) facts.by_function[static_cast<size_t>(function)] += entries_by_kind_[kind];
  }
  facts.windows = file_.index().counts().windows;
  facts.chunks = file_.index().counts().chunks;
  facts.holes = file_.index().counts().holes;

  uint64_t missed = header.missed + file_.index().missed();
  totals_.missed = missed < header.missed ? UINT64_MAX : missed;
  totals_.peak_time_ns = clock().ns_since_start(peak_time_);
  facts.totals = totals_;
  if (header.stop_reason != 0) facts.stopped = describe_stop(header);
  facts.problems = file_.problems().texts();
  facts.complete = !facts.stopped && totals_.missed == 0 && facts.problems.empty();
}

}  // namespace heapledger
