#include "server/readings.h"

#include <algorithm>
#include <utility>

namespace heapledger::server {
namespace {

uint64_t number_in(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  return found != nullptr ? found->natural().value_or(0) : 0;
}

}  // namespace

Reading::Reading(Shown its_shown, Json its_recording)
    : shown(std::move(its_shown)),
      threads(shown.ledgers->facts()),
      start_wall_ns(number_in(its_recording, "start_wall_ns")),
      recording(std::move(its_recording)) {
  if (shown.earlier == nullptr) return;
  earlier = std::make_shared<Reading>(*shown.earlier, title_json(*shown.earlier));
  recording["earlier"] = earlier->recording;
}

void Readings::add(std::shared_ptr<Reading> reading) {
  reading->number = next_++;
  if (!reading->shown.is_one_look) kept_.clear();
  kept_.push_back(std::move(reading));
  thin_out();
}

void Readings::thin_out() {
  const auto too_many = [this] {
    uint64_t bytes = 0;
    for (const auto& reading : kept_) bytes += reading->shown.held_bytes;
    return kept_.size() > kMost || bytes > kMostBytes;
  };
  while (kept_.size() > 1 && too_many()) {
    // The first one stays: growth is seen against it.
    std::deque<std::shared_ptr<Reading>> fewer;
    const size_t half = std::max<size_t>(kept_.size() / 2, 2);
    for (size_t i = 0; i < kept_.size(); ++i) {
      const bool is_newest = i + 1 == kept_.size();
      const bool goes = i < half && (kept_.size() == 2 ? i == 0 : i % 2 == 1);
      if (is_newest || !goes) fewer.push_back(std::move(kept_[i]));
    }
    kept_ = std::move(fewer);
  }
}

std::shared_ptr<Reading> Readings::find(uint64_t number) const {
  const auto is_it = [number](const auto& reading) { return reading->number == number; };
  const auto found = std::find_if(kept_.begin(), kept_.end(), is_it);
  return found != kept_.end() ? *found : nullptr;
}

Json Readings::summary() const {
  Json list = Json::array();
  for (const auto& reading : kept_) {
    const Json* totals = reading->recording.find("totals");
    list.push_back({{"number", reading->number},
                    {"time_ns", number_in(reading->recording, "duration_ns")},
                    {"live_bytes", totals != nullptr ? number_in(*totals, "live_bytes") : 0},
                    {"live_blocks", totals != nullptr ? number_in(*totals, "live_blocks") : 0}});
  }
  return list;
}

}  // namespace heapledger::server
