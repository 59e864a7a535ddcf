#include "server/lanes.h"

#include <utility>

namespace heapledger::server {

// Without a lane it is in nobody's way.
Lanes::Way::Way(Lanes& lanes, std::string lane, const std::stop_token& gone)
    : lanes_(lanes), lane_(std::move(lane)), when_gone_(gone, GiveUp{source_}) {
  if (lane_.empty()) return;
  std::shared_ptr<std::stop_source> older;
  {
    const std::lock_guard lock(lanes_.mutex_);
    older = std::exchange(lanes_.newest_[lane_], source_);
  }
  if (older != nullptr) older->request_stop();
}

Lanes::Way::~Way() {
  const std::lock_guard lock(lanes_.mutex_);
  const auto found = lanes_.newest_.find(lane_);
  if (found != lanes_.newest_.end() && found->second == source_) lanes_.newest_.erase(found);
}

}  // namespace heapledger::server
