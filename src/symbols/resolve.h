// Names all addresses of all modules at once: from debug information with inlined functions, from
// symbol tables where there is none, and as "module+0xoffset" where nothing is known. Every address
// asked for has at least one frame afterwards. Nothing is fetched over the network unless asked,
// and a file that is not the one that ran is never used.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbol_table.h"

namespace heapledger {

struct ModuleAddresses {
  std::string path;
  std::string build_id;             // bytes; empty: unknown, and then the file is believed
  std::vector<uint64_t> addresses;  // sorted; link-time, i.e. return address - 1 - load bias
};

// What is going on, for a line of progress. Texts are good during the call only.
struct ResolveProgress {
  size_t modules_done = 0;
  size_t modules = 0;
  std::string_view fetching;  // the module whose debug file is being fetched; empty: none
  uint64_t fetched = 0;       // bytes
  uint64_t fetch_size = 0;    // 0: not known yet
};

struct ResolveOptions {
  // Folders laid out like /usr/lib/debug, which is looked into after them.
  std::vector<std::string> debug_folders;
  // Whether to ask the servers in $DEBUGINFOD_URLS, and for how long at the most, all in all.
  bool debuginfod = false;
  std::chrono::milliseconds debuginfod_limit{60'000};
  // Where names that were found are kept for the next time (symbol_cache.h); empty: nowhere.
  std::string cache;
  bool believe_cache = true;  // false: it is only written
  unsigned threads = 0;       // 0: one for each processor
  // Called from any thread, one call at a time.
  std::function<void(const ResolveProgress&)> progress;
};

void resolve(std::span<const ModuleAddresses> modules, const ResolveOptions& options,
             SymbolTable& table);

}  // namespace heapledger
