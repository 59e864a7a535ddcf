// What is known of many processes, program by program, before it is chosen what to show: it can be
// added up, and kept in a file (reduced.h) to be added up later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/ledger_facts.h"
#include "cli/fleet/statistics.h"

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

// Of one program, by all that tells groups apart.
class ProgramGroups {
 public:
  void add(const Group& group, uint32_t first = 0);
  void add_all(const Statistics& all, uint32_t first = 0) { all_.add(all, first); }

  const std::vector<Group>& groups() const { return groups_; }
  const Statistics& all() const { return all_; }  // over everything of a process

 private:
  std::unordered_map<std::string, size_t> places_;
  std::vector<Group> groups_;
  Statistics all_;
};

// Ranks are one thing, what starts them another: whether they have a rank, and the name.
using ProgramKind = std::pair<bool, std::string>;

struct Gathered {
  std::vector<Process> processes;
  std::map<ProgramKind, ProgramGroups> programs;

  // Its processes come behind ours.
  void add(const Gathered& other);
};

}  // namespace heapledger::cli::fleet
