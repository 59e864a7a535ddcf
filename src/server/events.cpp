#include "server/events.h"

#include <utility>
#include <vector>

namespace heapledger::server {

void Events::tell(const std::string& name, std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (line.empty()) {
      told_.erase(name);
      return;
    }
    told_[name] = {++number_, std::move(line)};
  }
  changed_.notify_all();
}

// In the order in which it was told.
std::string Events::newer_than(uint64_t& seen) const {
  std::map<uint64_t, const std::string*> newer;
  for (const auto& [name, told] : told_) {
    if (told.number > seen) newer.emplace(told.number, &told.line);
  }
  std::string lines;
  for (const auto& [number, line] : newer) lines += *line + "\n";
  seen = number_;
  return lines;
}

void Events::follow(const WriteSome& write, const std::stop_token& stop,
                    std::chrono::milliseconds now_and_then) {
  std::unique_lock lock(mutex_);
  ++listeners_;
  uint64_t seen = 0;
  bool there = true;
  while (there && !stop.stop_requested()) {
    std::string lines = newer_than(seen);
    if (lines.empty()) lines = "\n";
    lock.unlock();
    there = write(lines);
    lock.lock();
    if (there) changed_.wait_for(lock, stop, now_and_then, [&] { return number_ > seen; });
  }
  if (--listeners_ == 0) alone_since_ = Clock::now();
}

size_t Events::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_;
}

Events::Clock::duration Events::alone() const {
  const std::lock_guard lock(mutex_);
  return listeners_ > 0 ? Clock::duration{0} : Clock::now() - alone_since_;
}

void Events::begin_alone_now() {
  const std::lock_guard lock(mutex_);
  alone_since_ = Clock::now();
}

}  // namespace heapledger::server
