// What there is to tell of leaks, as text and as JSON.
#pragma once

#include <array>
#include <string>

#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "cli/pages/page.h"
#include "cores/reachability.h"
#include "text/json_text.h"

namespace heapledger::cli::core {

struct LeaksView {
  Asked asked;
  bool json = false;
  bool running = false;  // the process went on while it was read
};

struct Leaks {
  std::string source;  // what the heap was read from
  uint32_t pid = 0;
  std::string executable;
  bool has_stacks = true;
  cores::Reachability found;
  std::array<NeverFreed, cores::kReachClasses> classes;  // in the order of cores::Reach
};

std::string leaks_text(Ledgers& ledgers, const Leaks& leaks, const LeaksView& view,
                       const Page& page);
Json leaks_json(Ledgers& ledgers, const Leaks& leaks, const LeaksView& view);

}  // namespace heapledger::cli::core
