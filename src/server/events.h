// What a server tells its pages without being asked: lines of JSON, to all of them. What stays true
// is told to those that come later, too. Knows how many listen, and since when nobody does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "server/message.h"

namespace heapledger::server {

class Events {
 public:
  using Clock = std::chrono::steady_clock;

  // Takes the place of what was told under this name. An empty line: there is nothing any more to
  // tell those who come later.
  void tell(const std::string& name, std::string line);

  // Tells all to one listener, until he stops or is gone; now and then an empty line, upon which
  // one that is gone is noticed.
  void follow(const WriteSome& write, const std::stop_token& stop,
              std::chrono::milliseconds now_and_then = std::chrono::seconds(15));

  size_t listeners() const;
  // How long nobody has listened: since the last one went, or since we were made.
  Clock::duration alone() const;
  void begin_alone_now();  // as if the last one went now

 private:
  struct Told {
    uint64_t number = 0;
    std::string line;
  };

  std::string newer_than(uint64_t& seen) const;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Told> told_;
  uint64_t number_ = 0;
  size_t listeners_ = 0;
  Clock::time_point alone_since_ = Clock::now();
};

}  // namespace heapledger::server
