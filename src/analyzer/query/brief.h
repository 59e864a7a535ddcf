// What a sealed ledger says about its process in notes: who it was, threads, sites and markers,
// read without the entries between them. Enough to tell live blocks apart and whose they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/id_table.h"
#include "analyzer/ledger_facts.h"
#include "analyzer/ledger_file.h"
#include "analyzer/ledger_sites.h"
#include "analyzer/sampling.h"

namespace heapledger {

struct Brief {
  std::unique_ptr<LedgerFile> file;
  uint64_t end_time = 0;  // when the process was last known to live, in units
  LedgerFacts facts;      // without what only the entries tell
  IdTable thread_places;  // by the ledger's index

  struct Note {
    uint64_t time = 0;
    std::string text;
  };
  std::vector<Note> markers;  // in the order of time

  // The place of a thread in `facts.threads`.
  uint32_t thread(uint32_t index);
};

// False when the ledger is not sealed, or some notes cannot be read. Sites go to `sites`, changes
// of the mode to `sampling`.
bool read_brief(std::unique_ptr<LedgerFile> file, LedgerSites& sites, Sampling& sampling,
                uint32_t number, Brief& brief);

}  // namespace heapledger
