// Events of many threads, put aside in the order of time and taken back thread by thread, as often
// as wanted. What does not fit into a small buffer for each thread waits in a file without a name,
// so the memory needed does not grow with the number of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

namespace heapledger {

struct SpooledEvent {
  uint64_t time_ns = 0;
  uint64_t address = 0;
  int64_t weight = 0;
  uint32_t stack = 0;
  uint32_t by = 0;
};

class EventSpool {
 public:
  // Lanes are numbered from 0 on.
  void add(size_t lane, const SpooledEvent& event);
  uint64_t size(size_t lane) const { return lane < lanes_.size() ? lanes_[lane].count : 0; }
  uint64_t size() const { return count_; }

  // In the order they were added. Throws Error when they cannot be read back.
  void for_each(size_t lane, const std::function<void(const SpooledEvent&)>& use) const;

 private:
  static constexpr size_t kBuffered = 1024;

  struct Lane {
    std::vector<SpooledEvent> buffer;
    std::vector<uint64_t> places;  // in the file, of full buffers
    uint64_t count = 0;
  };

  void put_aside(Lane& lane);

  std::vector<Lane> lanes_;
  std::unique_ptr<FILE, int (*)(FILE*)> file_{nullptr, std::fclose};
  uint64_t file_bytes_ = 0;
  uint64_t count_ = 0;
};

}  // namespace heapledger
