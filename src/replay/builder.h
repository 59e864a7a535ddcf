// One pass over the operations of a ledger, for a schedule: gives each operation its lane and each
// block its slot. The first pass writes nothing, and finds out what the second has to know
// beforehand: when lanes end, how many slots each has, and when the peak is.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/build.h"
#include "replay/lane_slots.h"
#include "replay/schedule_file.h"

namespace heapledger {

// What a first pass has found.
struct Survey {
  struct LaneFacts {
    uint32_t thread = 0;  // place in LedgerFacts::threads
    uint32_t slots = 0;
    uint64_t last_operation = 0;  // operations are counted from 0
  };
  std::vector<LaneFacts> lanes;
  uint64_t operations = 0;
  uint64_t peak_operation = 0;  // after which live bytes are at their highest
  uint64_t peak_bytes = 0;

  std::vector<uint32_t> ends() const;        // lanes, in the order in which they end
  std::vector<uint64_t> phase_ends() const;  // the last operation of each phase
};

class Builder {
 public:
  explicit Builder(const BuildOptions& options) : options_(options) {}
  // The same operations once more, after a first pass; writes words when there is a file.
  Builder(const BuildOptions& options, const Survey& before, ScheduleFile* file);

  void take(const Operation& operation);

  // After the last one.
  Survey survey() const;
  void finish(Schedule& schedule, const LedgerFacts& ledger);

  // Throws Error: it was another ledger in the pass before.
  [[noreturn]] static void refuse_change();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Where a block is.
  struct Place {
    uint32_t lane = 0;  // or the arena it is in
    uint32_t slot = 0;
    uint16_t generation = 0;
    Treatment treatment = Treatment::kAsRecorded;
  };

  // A large block that others lie in.
  struct Arena {
    Place place;
    uint64_t used = 0;
    uint32_t live = 0;     // blocks in it
    bool retired = false;  // no more will come
  };

  struct LaneState {
    LaneSlots slots;
    uint32_t thread = 0;
    uint32_t first_slot = 0;
    uint32_t arena = kNone;  // that it fills at present
    bool begun = false;
    uint64_t last_operation = 0;
    uint64_t last_time_ns = 0;
    uint32_t place_alive = 0;  // in alive_
    schedule::Lane totals{};

    // Strict order: lanes by when they freed last, the latest first.
    uint32_t freed_before = kNone;
    uint32_t freed_after = kNone;
    uint64_t last_free = 0;  // number of the operation and one; 0: none
    uint64_t awaited = 0;    // likewise: frees up to this one have been awaited
  };

  void expect_as_before(uint32_t lane) const;
  uint32_t lane_of(uint32_t thread);
  void begin_lane(uint32_t lane);
  void end_lane(uint32_t lane);
  void end_lane_before();
  void end_phase(uint64_t time_ns);

  void pause(uint32_t lane, uint64_t time_ns);
  void await_frees(uint32_t lane);
  void count_free(uint32_t lane, uint64_t size);

  void play(uint32_t lane, const Operation& operation);
  void resize(uint32_t lane, const Operation& operation);
  void call(uint32_t lane, schedule::Word word, uint32_t slot, uint64_t size);
  void fail(uint32_t lane, const Operation& operation);
  void align(uint32_t lane, format::Kind kind, uint64_t alignment);
  Place allocate(uint32_t lane, format::Kind kind, uint64_t size, uint64_t alignment);
  void release(uint32_t lane, const Place& place, const Operation& operation);
  uint32_t take_over(uint32_t lane, const Place& place, uint32_t slot);
  void count_birth(uint32_t lane, uint64_t size);
  uint32_t new_slot(LaneSlots& slots);
  uint32_t hand(LaneSlots& slots);
  void count_slots(uint32_t more);

  // Treatments.
  bool is_treated() const { return !options_.treatments.empty(); }
  Treatment treatment_of(const Operation& operation) const;
  void allocate_treated(uint32_t lane, const Operation& operation, Treatment treatment);
  void free_treated(uint32_t lane, const Place& place, const Operation& operation);
  void end_treated(uint32_t lane, const Place& place);
  bool resize_treated(uint32_t lane, const Operation& operation);
  void free_arena(uint32_t lane, uint32_t number);
  void retire_arena(uint32_t lane);
  uint32_t new_arena(uint32_t lane);

  void put(uint32_t lane, uint64_t word) {
    if (file_ != nullptr) file_->append(lane, word);
  }
  uint32_t global_slot(const Place& place) const {
    return lanes_[place.lane].first_slot + place.slot;
  }
  Place& place_of(BlockNumber block) {
    if (block >= places_.size()) places_.resize(block + size_t{1});
    return places_[block];
  }

  const BuildOptions& options_;
  const Survey* before_ = nullptr;
  ScheduleFile* file_ = nullptr;
  std::vector<uint64_t> phase_ends_;

  std::vector<LaneState> lanes_;
  std::vector<uint32_t> lane_of_thread_;
  std::vector<uint32_t> alive_;
  uint32_t begun_ = 0;
  uint32_t ended_ = 0;
  uint32_t last_lane_ = kNone;  // of the operation before
  uint32_t freed_last_ = kNone;

  std::vector<Place> places_;  // by number of block
  std::vector<Arena> arenas_;
  std::vector<uint32_t> unused_arenas_;

  uint64_t operations_ = 0;
  uint64_t calls_ = 0;
  uint64_t slots_ = 0;
  uint64_t largest_ = 0;
  uint64_t live_bytes_ = 0;  // of the calls that are made
  uint64_t live_blocks_ = 0;
  uint64_t recorded_bytes_ = 0;  // live, in the ledger
  uint64_t peak_bytes_ = 0;
  uint64_t peak_operation_ = 0;
  std::vector<schedule::Phase> phases_;
  BuildFacts facts_;
};

}  // namespace heapledger
