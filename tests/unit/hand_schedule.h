// Schedules written word by word, and the real player run with them: what tests of the player, and
// of what is built for it, start from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "player/results.h"
#include "player/schedule.h"

namespace heapledger::test {

// Every lane has as many slots as all others: those of lane n begin at n * slots.
class HandSchedule {
 public:
  HandSchedule(uint32_t lanes, uint32_t slots_per_lane, uint32_t phases = 1);

  HandSchedule& add(uint32_t lane, schedule::Word kind, uint32_t slot = 0, uint32_t argument = 0);
  HandSchedule& pause(uint32_t lane, uint64_t ns);
  // In which order lanes end; their own order unless this is called.
  HandSchedule& ends(std::vector<uint32_t> order);
  HandSchedule& strict();
  // Words before the lane goes on in another chunk; 2047 unless this is called.
  HandSchedule& words_in_chunk(uint32_t words);

  // The file; each lane ends after its last word.
  std::string bytes() const;

 private:
  struct Lane {
    std::vector<uint64_t> words;
    uint64_t calls = 0;
  };

  std::vector<uint64_t> chunks(std::vector<schedule::Lane>& table) const;

  uint32_t slots_per_lane_;
  std::vector<Lane> lanes_;
  std::vector<uint32_t> ends_;
  std::vector<schedule::Phase> phases_;
  uint32_t words_in_chunk_ = schedule::kChunkWords - 1;
  uint32_t strict_ = 0;
};

// How a play by the real player ended.
struct HandPlayed {
  int status;  // as waitpid() has it
  std::unique_ptr<results::Results> results;

  results::Outcome outcome() const { return static_cast<results::Outcome>(results->outcome); }
};

// `library`: "libc", "null", or the path of one, which is preloaded.
HandPlayed play_by_hand(const std::string& bytes, const std::string& library, uint32_t flags = 0,
                        player::Touch touch = player::Touch::kNone);
// With the library preloaded, and the player told to expect another.
HandPlayed play_expecting(const std::string& expected, const std::string& bytes,
                          const std::string& library, uint32_t flags = 0,
                          player::Touch touch = player::Touch::kNone);

}  // namespace heapledger::test
