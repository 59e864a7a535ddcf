// Ledgers of many processes, read one after the other on several cores: of each only its sums are
// kept, and of all together what each group has in how many. Memory follows the groups.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/fleet/statistics.h"
#include "cli/shared/opened.h"

namespace heapledger::cli::fleet {

struct Process {
  std::string path;
  std::string program;  // the name of its executable
  std::string host;
  std::string job;
  std::optional<uint64_t> rank;
  uint32_t pid = 0;
  Totals totals;
  std::string trouble;  // why it could not be read, or what is missing; empty: nothing
  bool was_read = false;
  bool was_chosen = true;  // by the filter
  bool ended = true;       // by itself
};

// "rank 3", or the process by number and host.
std::string label_of(const Process& process);

struct Group {
  std::string name;
  std::string id;  // of a whole stack, the same in all processes
  std::string function;
  std::string file;
  uint32_t line = 0;
  Statistics statistics;
};

struct Fleet {
  std::vector<Process> processes;  // in the order of their paths
  std::vector<uint32_t> counted;   // of them, those that the statistics are about
  std::string program;             // that these run
  std::vector<Group> groups;
  Statistics all;  // of the measure, over everything of a process
};

struct FleetQuestion {
  Question question;    // filter, moment (of each process for itself), groups, measure
  std::string program;  // only those that run it; empty: what most of them run
  size_t workers = 1;
  NameOptions names;
};

// Throws Error when none can be read.
Fleet gather(const std::vector<std::string>& paths, const FleetQuestion& question);

// Ranks below the highest of a job that no ledger is of; at most so many are listed.
std::vector<std::string> missing_ranks(const Fleet& fleet);

}  // namespace heapledger::cli::fleet
