#include "server/files.h"

namespace heapledger::server {

uint32_t FileNumbers::number_of(std::string_view path) {
  if (path.empty()) return 0;
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<uint32_t>(paths_.size() + 1);
  const auto [place, is_new] = numbers_.try_emplace(std::string(path), next);
  if (is_new) paths_.emplace_back(path);
  return place->second;
}

std::optional<std::string> FileNumbers::path_of(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  if (number == 0 || number > paths_.size()) return std::nullopt;
  return paths_[number - 1];
}

}  // namespace heapledger::server
