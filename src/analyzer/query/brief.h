// What a sealed ledger says about its process in notes: threads, sites and markers, read without
// the entries between them. Enough to tell live blocks apart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analysis.h"
#include "analyzer/id_table.h"
#include "analyzer/ledger_file.h"
#include "analyzer/ledger_sites.h"

namespace heapledger {

struct Brief {
  std::unique_ptr<LedgerFile> file;
  uint32_t pid = 0;
  std::string path;
  uint64_t end_time = 0;  // when the process was last known to live, in units
  std::vector<ThreadFacts> threads;
  IdTable thread_places;  // by the ledger's index

  struct Note {
    uint64_t time = 0;
    std::string text;
  };
  std::vector<Note> markers;  // in the order of time

  // The place of a thread in `threads`.
  uint32_t thread(uint32_t index);
};

// False when the ledger is not sealed, or some notes cannot be read. Sites go to `sites`.
bool read_brief(std::unique_ptr<LedgerFile> file, LedgerSites& sites, uint32_t number,
                Brief& brief);

}  // namespace heapledger
