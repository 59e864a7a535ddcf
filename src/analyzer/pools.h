// The pools that a program announced: what was handed out of each, by whom, and what is live. Kept
// apart from the heap, which has their memory already. Memory is bounded by live blocks and sites.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/ledger_sites.h"
#include "analyzer/pairing.h"
#include "format/entry_decoder.h"

namespace heapledger {

struct PoolFacts {
  std::string name;
  uint64_t calls = 0;  // blocks handed out, resizes included
  uint64_t frees = 0;  // resizes not included
  uint64_t resizes = 0;
  uint64_t bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t peak_blocks = 0;
  uint64_t end_bytes = 0;  // live at the end
  uint64_t end_blocks = 0;
  uint64_t unmatched_frees = 0;  // of blocks that were never announced
  uint32_t top_site = 0;         // in the catalog: whoever asked for most; 0: nobody
  uint64_t top_site_bytes = 0;
};

class Pools {
 public:
  explicit Pools(Slack slack) : slack_(slack) {}

  // An entry of one of the kinds kPool….
  void note(const format::Entry& entry, uint32_t thread);

  // After the end, when all sites have been described.
  std::vector<PoolFacts> tell(const LedgerSites& sites);

 private:
  struct Pool {
    explicit Pool(Slack slack) : pairing(*this, slack) {}

    // For Pairing:
    void born(LiveBlock& block);
    void died(const LiveBlock& block, const Death& death);
    void never_born(uint64_t, const Death&) { ++facts.unmatched_frees; }
    void never_died(const LiveBlock& block, uint64_t) { leave(block); }
    void leave(const LiveBlock& block);

    PoolFacts facts;
    std::unordered_map<uint32_t, uint64_t> bytes_of_site;
    Pairing<Pool> pairing;
  };

  Pool* pool(uint64_t id);
  void name(uint64_t id, std::string_view name);

  Slack slack_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::map<uint64_t, size_t> places_;  // by the number in the ledger; several may be one pool
};

}  // namespace heapledger
