// Plays a schedule in a test: reads its words by itself, lets lanes go on in a random order as far
// as they need not wait, and checks that slots, generations and sizes fit.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "replay/build.h"

namespace heapledger::test {

struct PlayedCall {
  schedule::Word word{};
  uint32_t lane = 0;
  uint64_t size = 0;
  uint32_t alignment = 0;  // argument of kAlign
  bool fails = false;
  bool takes = false;
  uint64_t freed = 0;  // bytes
};

class SchedulePlayer {
 public:
  SchedulePlayer(const Schedule& schedule, uint64_t seed)
      : fd_(schedule.file.get()), random_(seed), phases(schedule.phases) {
    read(&header, sizeof(header), 0);
    lanes.resize(header.lanes);
    read(lanes.data(), header.lanes * sizeof(schedule::Lane), header.lanes_at);
    ends.resize(header.lanes);
    read(ends.data(), header.lanes * sizeof(uint32_t), header.ends_at);
    std::vector<schedule::Phase> stored(header.phases);
    read(stored.data(), header.phases * sizeof(schedule::Phase), header.phases_at);
    EXPECT_EQ(stored.size(), phases.size());
    slots_.resize(header.slots);
    owner_.resize(header.slots, UINT32_MAX);
    for (uint32_t lane = 0; lane < header.lanes; ++lane) {
      for (uint32_t i = 0; i < lanes[lane].slots; ++i) owner_.at(lanes[lane].first_slot + i) = lane;
    }
    runs_.resize(header.lanes);
    phase_bytes_.resize(header.phases);
    phase_lanes_.resize(header.phases);
  }

  // False when lanes wait for each other for ever, or something does not fit.
  bool play() {
    spawn(0, 0);
    while (ended_ < header.lanes) {
      std::vector<uint32_t> candidates = alive_;
      std::shuffle(candidates.begin(), candidates.end(), random_);
      bool moved = false;
      for (uint32_t lane : candidates) {
        uint64_t steps = 1 + random_() % 40;
        while (steps-- > 0 && step(lane)) moved = true;
        if (::testing::Test::HasFatalFailure() || broken_) return false;
        if (moved && random_() % 2 == 0) break;
      }
      if (!moved) {
        ADD_FAILURE() << "all lanes wait";
        return false;
      }
    }
    check_ends();
    return !broken_;
  }

  std::vector<PlayedCall> calls;  // in the order in which they were made
  uint64_t live_bytes = 0;
  uint64_t peak_bytes = 0;
  schedule::Header header{};
  std::vector<schedule::Lane> lanes;
  std::vector<uint32_t> ends;
  uint64_t words = 0;
  uint64_t pauses = 0;
  uint64_t awaits = 0;
  size_t most_lanes = 0;  // that were alive at a time

 private:
  using Word = schedule::Word;

  struct Slot {
    uint64_t generation = 0xffff;
    bool has_block = false;
    uint64_t size = 0;
  };

  struct Run {
    std::vector<uint64_t> chunk;
    size_t at = 0;
    bool spawned = false;
    bool ended = false;
    uint32_t next_phase = 0;
    int64_t net = 0;
    uint64_t calls = 0;
    uint64_t frees = 0;
    uint64_t allocated = 0;
    uint64_t freed = 0;
    // Prefixes of the call that comes.
    uint64_t high = 0;
    uint32_t alignment = 0;
    bool fails = false;
    bool takes = false;
    uint64_t take = 0;
  };

  void read(void* to, size_t bytes, uint64_t at) {
    EXPECT_EQ(::pread(fd_, to, bytes, static_cast<off_t>(at)), static_cast<ssize_t>(bytes));
  }

  void load(Run& run, uint32_t chunk) {
    ASSERT_LT(chunk, header.chunks);
    run.chunk.resize(schedule::kChunkWords);
    read(run.chunk.data(), schedule::kChunkBytes, header.chunks_at + chunk * schedule::kChunkBytes);
    run.at = 0;
  }

  void spawn(uint32_t lane, uint32_t phase) {
    Run& run = runs_.at(lane);
    ASSERT_FALSE(run.spawned);
    run.spawned = true;
    run.next_phase = phase;
    load(run, lanes[lane].first_chunk);
    alive_.push_back(lane);
    most_lanes = std::max(most_lanes, alive_.size());
  }

  bool refuse(const char* why) {
    ADD_FAILURE() << why;
    broken_ = true;
    return false;
  }

  // True when the lane did something.
  bool step(uint32_t number) {
    Run& run = runs_[number];
    if (run.ended) return false;
    const uint64_t word = run.chunk.at(run.at);
    const Word kind = schedule::kind_of(word);
    const uint32_t slot = schedule::slot_of(word);
    const uint32_t argument = schedule::argument_of(word);
    if (kind == Word::kSpawn) {
      for (uint32_t i = 0; i < argument; ++i) {
        if (!runs_.at(ends.at(i)).ended) return false;
      }
    } else if (kind == Word::kAwait) {
      if (runs_.at(slot).frees < argument) return false;
      ++awaits;
    } else if (kind < Word::kHigh && kind != Word::kEnd) {
      if (!call(number, kind, slot, argument)) return false;
    }
    ++run.at;
    ++words;
    switch (kind) {
      case Word::kEnd:
        return end(number);
      case Word::kNext:
        load(run, argument);
        break;
      case Word::kHigh:
        run.high = uint64_t{argument} << 32;
        break;
      case Word::kAlign:
        run.alignment = argument;
        break;
      case Word::kFails:
        run.fails = true;
        break;
      case Word::kTake:
        run.takes = true;
        run.take = word;
        break;
      case Word::kSpawn:
        spawn(slot, run.next_phase);
        break;
      case Word::kPhase:
        phase(run, argument);
        break;
      case Word::kPause:
        ++pauses;
        break;
      default:
        break;
    }
    return true;
  }

  bool end(uint32_t number) {
    Run& run = runs_[number];
    run.ended = true;
    ++ended_;
    std::erase(alive_, number);
    for (uint32_t i = run.next_phase; i < header.phases; ++i) phase_bytes_[i] += run.net;
    return true;
  }

  void phase(Run& run, uint32_t number) {
    ASSERT_EQ(number, run.next_phase);
    ASSERT_LT(number, header.phases);
    phase_bytes_[number] += run.net;
    ++phase_lanes_[number];
    ++run.next_phase;
  }

  bool call(uint32_t number, Word kind, uint32_t slot, uint32_t argument) {
    Run& run = runs_[number];
    PlayedCall made;
    made.word = kind;
    made.lane = number;
    made.size = run.high | argument;
    made.alignment = run.alignment;
    made.fails = run.fails;
    made.takes = run.takes;
    if (kind != Word::kFreeNull) {
      if (owner_.at(slot) != number) return refuse("a slot of another lane");
      if (!run.fails && !change(run, made, kind, slots_[slot])) return false;
    }
    ++run.calls;
    run.high = 0;
    run.alignment = 0;
    run.fails = run.takes = false;
    calls.push_back(made);
    live_bytes = live_bytes + allocated_of(made) - made.freed;
    peak_bytes = std::max(peak_bytes, live_bytes);
    return true;
  }

  static uint64_t allocated_of(const PlayedCall& made) {
    return made.fails || made.word >= Word::kFree ? 0 : made.size;
  }

  // False when it has to wait.
  bool change(Run& run, PlayedCall& made, Word kind, Slot& slot) {
    const bool allocates = kind <= Word::kPvalloc;
    if (run.takes) {
      if (allocates) return refuse("an allocation takes a block");
      if (owner_.at(schedule::slot_of(run.take)) == made.lane) return refuse("takes its own");
      Slot& from = slots_.at(schedule::slot_of(run.take));
      const bool there = from.has_block && from.generation == schedule::argument_of(run.take);
      if (!there || slot.has_block) return false;
      from.has_block = false;
      slot.has_block = true;
      slot.size = from.size;
    }
    if (allocates) {
      if (slot.has_block) return false;
    } else {
      if (!slot.has_block) return refuse("no block in the slot");
      made.freed = slot.size;
      run.net -= static_cast<int64_t>(slot.size);
      run.freed += slot.size;
      if (kind >= Word::kFree) {
        if (slot.size != made.size) return refuse("freed with another size");
        slot.has_block = false;
        ++run.frees;
        return true;
      }
    }
    slot.has_block = true;
    slot.size = made.size;
    slot.generation = (slot.generation + 1) & 0xffff;
    run.net += static_cast<int64_t>(made.size);
    run.allocated += made.size;
    return true;
  }

  void check_ends() {
    uint64_t sum = 0;
    for (uint32_t lane = 0; lane < header.lanes; ++lane) {
      EXPECT_EQ(runs_[lane].calls, lanes[lane].calls);
      EXPECT_EQ(runs_[lane].frees, lanes[lane].frees);
      EXPECT_EQ(runs_[lane].allocated, lanes[lane].allocated_bytes);
      EXPECT_EQ(runs_[lane].freed, lanes[lane].freed_bytes);
      sum += runs_[lane].calls;
    }
    EXPECT_EQ(sum, header.calls);
    EXPECT_EQ(words, header.words);
    for (uint32_t i = 0; i < header.phases; ++i) {
      EXPECT_EQ(phase_bytes_[i], static_cast<int64_t>(phases[i].live_bytes)) << i;
      EXPECT_EQ(phase_lanes_[i], phases[i].lanes) << i;
      EXPECT_GT(phase_lanes_[i], 0u);
    }
  }

  int fd_;
  std::mt19937_64 random_;
  std::vector<schedule::Phase> phases;
  std::vector<Slot> slots_;
  std::vector<uint32_t> owner_;
  std::vector<Run> runs_;
  std::vector<uint32_t> alive_;
  uint32_t ended_ = 0;
  bool broken_ = false;
  std::vector<int64_t> phase_bytes_;
  std::vector<uint32_t> phase_lanes_;
};

}  // namespace heapledger::test
