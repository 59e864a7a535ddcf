// The names that were found in modules before, by build id, in a folder of the user's: libraries
// stay the same from run to run, and their debug information takes long to unpack and to read. What
// was found is believed only while the files that it was found in are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "symbols/debug_files.h"
#include "symbols/kept_files.h"
#include "symbols/resolve.h"
#include "symbols/symbol_table.h"

namespace heapledger {

class SymbolCache {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{128} << 20;

  // An empty folder: nothing is kept.
  explicit SymbolCache(std::string folder, uint64_t most_bytes = kMostBytes);

  // In the user's folder for such things; empty when there is none.
  static std::string default_folder();

  // Whether reading these files takes long enough.
  bool is_worth(const ModuleAddresses& module, const DebugFiles& files) const;

  // A table with this module alone.
  std::optional<SymbolTable> find(const ModuleAddresses& module, const DebugFiles& files) const;

  // `names` has this module alone.
  void store(const ModuleAddresses& module, const DebugFiles& files, const SymbolTable& names);

 private:
  KeptFiles kept_;
};

}  // namespace heapledger
