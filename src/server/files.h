// Numbers for the files that answers name, the same in all answers of one server. Sources are asked
// for by these numbers alone, so that nothing can be read that no ledger names.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heapledger::server {

class FileNumbers {
 public:
  // From 1 on; 0 is no file.
  uint32_t number_of(std::string_view path);
  std::optional<std::string> path_of(uint64_t number) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> paths_;
};

}  // namespace heapledger::server
