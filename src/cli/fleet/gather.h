// Ledgers of many processes, read one after the other on several cores: of each only its sums are
// kept, and of all together what each group has in how many. Memory follows the groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/fleet/gathered.h"
#include "cli/shared/opened.h"

namespace heapledger::cli::fleet {

struct Fleet {
  std::vector<Process> processes;  // in the order of their paths
  std::vector<uint32_t> counted;   // of them, those that the statistics are about
  std::string program;             // that these run
  std::vector<Group> groups;
  Statistics all;  // of the measure, over everything of a process
};

struct FleetQuestion {
  Question question;  // filter, moment (of each process for itself), groups, measure
  double keep = 1;    // of each process the largest groups that have this share; the rest is one
  size_t workers = 1;
  NameOptions names;
};

// Ledgers, and what was reduced before. Throws Error when something cannot be added up.
Gathered gather(const std::vector<std::string>& paths, const FleetQuestion& question);

// What most of the ranks run, or where there are none most of the processes; of several programs
// that all of them run, such as a script and what it starts, the one that allocates most. Throws
// Error when there is none.
Fleet choose(Gathered gathered, const std::string& program);

// Ranks below the highest of a job that no ledger is of; at most so many are listed.
std::vector<std::string> missing_ranks(const Fleet& fleet);

}  // namespace heapledger::cli::fleet
