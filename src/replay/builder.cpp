#include "replay/builder.h"

#include <algorithm>
#include <string>

#include "analyzer/error.h"

namespace heapledger {
namespace {

using schedule::make_word;
using schedule::Word;
using What = Operation::What;

constexpr uint64_t kLeastPauseNs = 20'000;
// Lanes wait for one another at the end of each: with many lanes, fewer of them.
uint64_t phases_for(size_t lanes) {
  if (lanes <= 16) return 256;
  return lanes <= 256 ? 64 : 16;
}

}  // namespace

std::vector<uint32_t> Survey::ends() const {
  std::vector<uint32_t> order(lanes.size());
  for (uint32_t lane = 0; lane < order.size(); ++lane) order[lane] = lane;
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return lanes[a].last_operation < lanes[b].last_operation;
  });
  return order;
}

std::vector<uint64_t> Survey::phase_ends() const {
  std::vector<uint64_t> ends;
  const uint64_t phases = phases_for(lanes.size());
  for (uint64_t step = 1; step <= phases; ++step) {
    const uint64_t done = operations / phases * step + operations % phases * step / phases;
    if (done > 0) ends.push_back(done - 1);
  }
  ends.push_back(peak_operation);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

Builder::Builder(const BuildOptions& options, const Survey& before, ScheduleFile* file)
    : options_(options), before_(&before), file_(file), phase_ends_(before.phase_ends()) {
  lanes_.resize(before.lanes.size());
  uint64_t first = 0;
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].first_slot = static_cast<uint32_t>(first);
    first += before.lanes[lane].slots;
  }
}

void Builder::take(const Operation& operation) {
  if (before_ != nullptr && operations_ == before_->operations) return;  // it has grown since
  const uint32_t lane = lane_of(operation.thread);
  expect_as_before(lane);
  if (!lanes_[lane].begun) begin_lane(lane);
  end_lane_before();
  pause(lane, operation.time_ns);
  play(lane, operation);

  recorded_bytes_ -= operation.old_size;
  if (operation.block != kNoBlock) recorded_bytes_ += operation.size;
  if (recorded_bytes_ > peak_bytes_) {
    peak_bytes_ = recorded_bytes_;
    peak_operation_ = operations_;
  }
  LaneState& state = lanes_[lane];
  state.last_operation = operations_;
  if (before_ != nullptr) {
    if (before_->lanes[lane].last_operation == operations_) retire_arena(lane);
    if (phases_.size() < phase_ends_.size() && phase_ends_[phases_.size()] == operations_) {
      end_phase(operation.time_ns);
    }
  }
  last_lane_ = lane;
  ++operations_;
  if (operation.what == What::kFreeLost) {
    ++facts_.lost_frees;
  } else {
    ++facts_.operations;
  }
}

// The ledger of a program that is running may be another one each time that it is read.
void Builder::expect_as_before(uint32_t lane) const {
  if (before_ == nullptr) return;
  if (lane < before_->lanes.size() && operations_ <= before_->lanes[lane].last_operation) return;
  refuse_change();
}

void Builder::refuse_change() {
  throw Error("the ledger changed while it was read; replay it when the program has ended",
              ErrorKind::kData);
}

// --- lanes ---

uint32_t Builder::lane_of(uint32_t thread) {
  const uint32_t key = options_.one_thread ? 0 : thread;
  if (key >= lane_of_thread_.size()) lane_of_thread_.resize(key + size_t{1}, kNone);
  uint32_t& lane = lane_of_thread_[key];
  if (lane != kNone) [[likely]] {
    return lane;
  }
  if (begun_ == schedule::kMaxLanes) {
    throw Error("the ledger has more than " + std::to_string(schedule::kMaxLanes) +
                    " threads, which is too many to play at once; play them on one thread",
                ErrorKind::kData);
  }
  lane = begun_++;
  if (lane >= lanes_.size()) lanes_.emplace_back();
  lanes_[lane].thread = thread;
  return lane;
}

// By the lane of the operation before, once those have ended that had by then. The lane that begins
// it has not, even if that operation is its last one: it cannot wait for itself.
void Builder::begin_lane(uint32_t lane) {
  if (last_lane_ != kNone) put(last_lane_, make_word(Word::kSpawn, lane, ended_));
  LaneState& state = lanes_[lane];
  state.begun = true;
  state.place_alive = static_cast<uint32_t>(alive_.size());
  alive_.push_back(lane);
}

void Builder::end_lane_before() {
  if (before_ == nullptr || last_lane_ == kNone) return;
  if (before_->lanes[last_lane_].last_operation + 1 == operations_) end_lane(last_lane_);
}

void Builder::end_lane(uint32_t lane) {
  if (file_ != nullptr) file_->end(lane);
  ++ended_;
  const uint32_t place = lanes_[lane].place_alive;
  alive_[place] = alive_.back();
  lanes_[alive_[place]].place_alive = place;
  alive_.pop_back();
}

void Builder::end_phase(uint64_t time_ns) {
  const auto number = static_cast<uint32_t>(phases_.size());
  for (uint32_t lane : alive_) put(lane, make_word(Word::kPhase, 0, number));
  schedule::Phase phase{};
  phase.live_bytes = live_bytes_;
  phase.live_blocks = live_blocks_;
  phase.calls = calls_;
  phase.time_ns = phases_.empty() ? time_ns : std::max(time_ns, phases_.back().time_ns);
  phase.lanes = static_cast<uint32_t>(alive_.size());
  phase.is_peak = operations_ == before_->peak_operation ? 1 : 0;
  phases_.push_back(phase);
}

// --- waiting ---

void Builder::pause(uint32_t lane, uint64_t time_ns) {
  LaneState& state = lanes_[lane];
  if (time_ns >= state.last_time_ns + kLeastPauseNs) put(lane, schedule::make_pause(time_ns));
  state.last_time_ns = std::max(state.last_time_ns, time_ns);
}

// Before an allocation, where order is strict: all that other lanes have freed since this one last
// looked.
void Builder::await_frees(uint32_t lane) {
  if (!options_.strict || options_.one_thread) return;
  LaneState& state = lanes_[lane];
  for (uint32_t other = freed_last_; other != kNone && lanes_[other].last_free > state.awaited;
       other = lanes_[other].freed_before) {
    if (other == lane) continue;
    put(lane, make_word(Word::kAwait, other, static_cast<uint32_t>(lanes_[other].totals.frees)));
  }
  state.awaited = operations_;
}

void Builder::count_free(uint32_t lane, uint64_t size) {
  LaneState& state = lanes_[lane];
  ++state.totals.frees;
  state.totals.freed_bytes += size;
  live_bytes_ -= size;
  --live_blocks_;
  if (!options_.strict) return;
  state.last_free = operations_ + 1;
  if (freed_last_ == lane) return;
  // Out of the order of lanes, if it is there, and to the front.
  if (state.freed_after != kNone) {
    lanes_[state.freed_after].freed_before = state.freed_before;
    if (state.freed_before != kNone) lanes_[state.freed_before].freed_after = state.freed_after;
  }
  state.freed_after = kNone;
  state.freed_before = freed_last_;
  if (freed_last_ != kNone) lanes_[freed_last_].freed_after = lane;
  freed_last_ = lane;
}

// --- results ---

Survey Builder::survey() const {
  Survey survey;
  survey.operations = operations_;
  survey.peak_bytes = peak_bytes_;
  survey.peak_operation = peak_operation_;
  for (const LaneState& lane : lanes_) {
    survey.lanes.push_back({lane.thread, lane.slots.count(), lane.last_operation});
  }
  return survey;
}

void Builder::finish(Schedule& schedule, const LedgerFacts& ledger) {
  end_lane_before();
  if (ended_ != before_->lanes.size()) refuse_change();
  std::vector<schedule::Lane> lanes;
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    const LaneState& state = lanes_[lane];
    schedule::Lane totals = state.totals;
    totals.first_chunk = file_->first_chunk(lane);
    totals.recorded_thread = state.thread < ledger.threads.size()
                                 ? static_cast<uint32_t>(ledger.threads[state.thread].tid)
                                 : 0;
    totals.first_slot = state.first_slot;
    totals.slots = state.slots.count();
    if (totals.slots != before_->lanes[lane].slots) refuse_change();
    lanes.push_back(totals);
    schedule.allocated_bytes += totals.allocated_bytes;
  }
  schedule::Header& header = schedule.header;
  header.magic = schedule::kMagic;
  header.version = schedule::kVersion;
  header.lanes = static_cast<uint32_t>(lanes.size());
  header.phases = static_cast<uint32_t>(phases_.size());
  header.slots = lanes.empty() ? 0 : lanes.back().first_slot + lanes.back().slots;
  header.strict = options_.strict && !options_.one_thread ? 1 : 0;
  header.calls = calls_;
  header.largest = largest_;
  header.peak_bytes = peak_bytes_;
  header.duration_ns = ledger.duration_ns;
  file_->finish(header, lanes, before_->ends(), phases_);
  schedule.phases = phases_;
  schedule.facts = facts_;
  schedule.file_bytes = file_->bytes();
  schedule.file = file_->take();
}

}  // namespace heapledger
