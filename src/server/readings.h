// What was read of a recording: once, or of one that goes on again and again. Of looks at a heap
// the earlier ones are kept as well, as many as fit: when they are too many, every other one of the
// older half goes. Not for several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "server/opening.h"
#include "server/recording.h"
#include "text/json_text.h"

namespace heapledger::server {

// Askers are made from the ledgers in any thread; they themselves belong to the one that reads.
struct Reading {
  Reading(Shown its_shown, Json its_recording);

  Shown shown;
  ThreadNumbers threads;
  uint64_t start_wall_ns;
  uint64_t number = 0;
  Json recording;                          // as /api/recording tells it
  std::shared_ptr<const Reading> earlier;  // that it is compared with; nullptr: none
};

class Readings {
 public:
  static constexpr size_t kMost = 60;
  static constexpr uint64_t kMostBytes = uint64_t{256} << 20;

  bool empty() const { return kept_.empty(); }
  // Under the next number.
  void add(std::shared_ptr<Reading> reading);
  const std::shared_ptr<Reading>& newest() const { return kept_.back(); }
  // nullptr: it is not kept any more, or never was.
  std::shared_ptr<Reading> find(uint64_t number) const;

  // Each in a few words: when, and how much was live.
  Json summary() const;

 private:
  void thin_out();

  std::deque<std::shared_ptr<Reading>> kept_;
  uint64_t next_ = 1;
};

}  // namespace heapledger::server
