// What forked processes got from their parents: how many blocks, and which of their frees were of
// such blocks. The parent's ledger is read again up to the fork, once for all its children; the
// parent may itself have been forked. Ledgers named by ledgers are not trusted: they are only
// ever read, must be regular files, and must fit by process id, run and time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/options.h"
#include "analyzer/progress.h"
#include "format/layout.h"

namespace heapledger {

struct Heir {
  std::string path;         // of the forked process's ledger
  std::string parent_path;  // of its parent's, as its ledger says
  format::FileHeader header{};
  std::vector<uint64_t> foreign_deaths;  // addresses it freed that it had not allocated

  // Found out here. Without the parent's ledger every foreign death counts as inherited.
  bool parent_found = false;
  uint64_t inherited_blocks = 0;
  uint64_t inherited_bytes = 0;
  uint64_t inherited_deaths = 0;
  uint64_t unknown_deaths = 0;
};

void settle_inheritance(std::vector<Heir>& heirs, const Options& options, Progress& progress);

}  // namespace heapledger
