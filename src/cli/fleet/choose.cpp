// Which program of those gathered is shown.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/error.h"
#include "cli/fleet/gather.h"
#include "text/text.h"

namespace heapledger::cli::fleet {
namespace {

struct Runs {
  std::set<std::pair<std::string, uint64_t>> who;
  uint64_t bytes = 0;
};

bool is_counted(const Process& process) {
  return process.was_read && process.was_chosen;
}

ProgramKind kind_of(const Process& process) {
  return {process.rank.has_value(), process.program};
}

[[noreturn]] void refuse(const Gathered& gathered, const std::string& program) {
  const std::vector<Process>& all = gathered.processes;
  const bool none_read =
      std::none_of(all.begin(), all.end(), [](const Process& one) { return one.was_read; });
  if (none_read && !all.empty()) throw Error(all.front().trouble, ErrorKind::kData);
  throw Error(program.empty() ? "the filter leaves no process"
                              : "no process runs " + quoted(std::string(program)),
              ErrorKind::kQuestion);
}

ProgramKind find_program(const Gathered& gathered, const std::string& program) {
  std::map<ProgramKind, Runs> many;
  for (const Process& process : gathered.processes) {
    if (!is_counted(process) || (!program.empty() && program != process.program)) continue;
    Runs& runs = many[kind_of(process)];
    runs.who.emplace(process.rank ? process.job : process.path, process.rank.value_or(0));
    runs.bytes += process.totals.bytes;
  }
  if (many.empty()) refuse(gathered, program);
  auto size_of = [](const auto& one) {
    return std::tuple(one.first.first, one.second.who.size(), one.second.bytes);
  };
  return std::max_element(
             many.begin(), many.end(),
             [&size_of](const auto& a, const auto& b) { return size_of(a) < size_of(b); })
      ->first;
}

}  // namespace

Fleet choose(Gathered gathered, const std::string& program) {
  const ProgramKind chosen = find_program(gathered, program);
  Fleet fleet;
  fleet.program = chosen.second;
  const ProgramGroups& groups = gathered.programs[chosen];
  fleet.groups = groups.groups();
  fleet.all = groups.all();
  fleet.processes = std::move(gathered.processes);
  for (uint32_t i = 0; i < fleet.processes.size(); ++i) {
    const Process& process = fleet.processes[i];
    if (is_counted(process) && kind_of(process) == chosen) fleet.counted.push_back(i);
  }
  std::sort(fleet.groups.begin(), fleet.groups.end(), [](const Group& a, const Group& b) {
    const uint64_t one = a.statistics.total(), other = b.statistics.total();
    if (one != other) return one > other;
    return std::tie(a.name, a.file, a.line, a.id) < std::tie(b.name, b.file, b.line, b.id);
  });
  return fleet;
}

}  // namespace heapledger::cli::fleet
