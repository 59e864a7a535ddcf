#include "cli/fleet/gathered.h"

#include <fmt/format.h>

namespace heapledger::cli::fleet {

void ProgramGroups::add(const Group& group, uint32_t first) {
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}", group.id, group.name, group.file, group.line);
  const auto [found, is_new] = places_.try_emplace(key, groups_.size());
  if (is_new) groups_.push_back({group.name, group.id, group.function, group.file, group.line, {}});
  groups_[found->second].statistics.add(group.statistics, first);
}

void Gathered::add(const Gathered& other) {
  const auto first = static_cast<uint32_t>(processes.size());
  processes.insert(processes.end(), other.processes.begin(), other.processes.end());
  for (const auto& [kind, theirs] : other.programs) {
    ProgramGroups& ours = programs[kind];
    ours.add_all(theirs.all(), first);
    for (const Group& group : theirs.groups()) ours.add(group, first);
  }
}

}  // namespace heapledger::cli::fleet
