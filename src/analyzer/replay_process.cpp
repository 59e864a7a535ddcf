#include "analyzer/replay_process.h"

#include <algorithm>

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

ReplayProcess::ReplayProcess(LedgerFile& file, uint32_t number, LedgerSites& sites,
                             Progress& progress)
    : file_(file),
      sites_(sites),
      progress_(progress),
      number_(number),
      forked_(file.header().origin == static_cast<uint32_t>(format::Origin::kForked)) {}

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

void ReplayProcess::died_unborn(uint64_t address) {
  if (forked_) {
    foreign_deaths_.push_back(address);
  } else {
    ++totals_.unmatched_frees;
  }
}

// When the process was last known to live.
uint64_t ReplayProcess::end_time() const {
  const format::FileHeader& header = file_.header();
  uint64_t ticks = std::max({header.exit_ticks, header.latest[0].ticks, header.latest[1].ticks});
  return std::max(last_time_, clock().units_of_ticks(ticks));
}

void ReplayProcess::tell(LedgerFacts& facts) {
  const format::FileHeader& header = file_.header();
  facts.path = file_.name();
  facts.file_bytes = file_.size();
  facts.sealed = file_.sealed();
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
