// What `heapledger doctor` has looked at: one line each, with a mark and, where something is to be
// done, what. Nothing is changed and nothing is run by looking. Texts are escaped already.
#pragma once

#include <string>
#include <vector>

#include "cli/run/pools.h"

namespace heapledger::cli::doctor {

enum class Mark {
  kOk,
  kNote,     // recorded all the same; worth knowing
  kProblem,  // in the way of recording
};

struct Check {
  Mark mark;
  std::string name;    // what was looked at, in a word or two
  std::string text;    // what was found
  std::string remedy;  // what to do; empty when nothing is
};

struct ClockFacts {
  bool steady = false;     // the counter of the processor goes at one rate, and never stops
  double ns_per_tick = 0;  // of the counter
  double ns_per_reading = 0;
  double ns_per_kernel_reading = 0;  // of the clock that is used otherwise
};

// Where the names and lines of one module come from.
struct ModuleSymbols {
  enum class From { kInside, kSeparate, kSymbols, kExports, kNowhere };
  std::string name;  // as it is needed: libc.so.6
  std::string path;  // empty: not found
  From from = From::kNowhere;
  std::string debug_file;  // of its own, when separate
};

struct Diagnosis {
  std::vector<Check> installation;  // empty when not asked about, and then alone
  std::vector<Check> machine;
  std::vector<Check> program;  // empty when none was asked about
  std::string program_name;    // likewise
  std::string executable;      // that runs in the end
  ClockFacts clock;
  std::vector<ModuleSymbols> modules;
  std::vector<const run::Pool*> pools;  // of kPools: those that the program has

  bool recordable() const;
  size_t count(Mark mark) const;
};

// What this installation of Heapledger can do.
void check_installation(Diagnosis& diagnosis);

// Whether the machine permits recording into `pattern` (of -o; empty: the default).
void check_machine(const std::string& pattern, Diagnosis& diagnosis);

// Whether the program can be recorded, and what will be seen of it.
void check_command(const std::string& command, Diagnosis& diagnosis);

// Takes some milliseconds.
ClockFacts measure_clock();

}  // namespace heapledger::cli::doctor
