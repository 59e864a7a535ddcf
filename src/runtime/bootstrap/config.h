// What HEAPLEDGER asks for: words such as `out=PATTERN`, separated by spaces; a backslash makes
// the next character literal.
#pragma once

#include <cstdint>

#include "runtime/ledger/naming.h"

namespace heapledger::runtime {

struct Config {
  PathText out;  // pattern of the ledger's path
  uint64_t run_id = 0;
  uint32_t depth = 256;      // frames of a stack that are kept
  uint32_t cross_check = 0;  // every n-th stack is compared with another unwinder; 0: none
  bool by_mappings = false;  // modules are found as where libc lacks _dl_find_object
};

// Fills in `config`, which holds the defaults. On failure `wrong` holds the word that was not
// understood and the result is false.
bool parse_config(const char* text, Config& config, PathText& wrong);

}  // namespace heapledger::runtime
