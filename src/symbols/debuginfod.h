// Debug files from the servers in $DEBUGINFOD_URLS. The client library is loaded when the first
// file is asked for, and nobody asks unless the user did; all files together take no longer than
// the limit.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace heapledger {

class Debuginfod {
 public:
  using Progress = std::function<void(uint64_t fetched, uint64_t size)>;

  // Only an enabled one ever does anything.
  Debuginfod(bool enabled, std::chrono::milliseconds limit);

  // The path of the debug file with this build id in the client's cache; empty when there is none.
  std::string fetch(std::string_view build_id, const Progress& progress);

  // Why nothing can be fetched, for people; empty while all is well.
  std::string problem() const;

 private:
  const bool enabled_;
  const std::chrono::milliseconds limit_;
  mutable std::mutex lock_;  // one file at a time: the servers are shared
  std::chrono::milliseconds used_{0};
  std::string problem_;
};

}  // namespace heapledger
