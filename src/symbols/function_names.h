// The names of functions from their debugging entries: the mangled one, demangled, or the plain one
// with the namespaces and classes around it. A function has the same name wherever it is inlined.
#pragma once

#include <elfutils/libdw.h>
#include <tsl/robin_map.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbols/abbrevs.h"
#include "symbols/text_pool.h"
#include "symbols/unit_scopes.h"

namespace heapledger {

// How a class without a name is called; nearly all of them are lambdas.
inline constexpr std::string_view kUnnamedClass = "{lambda}";

class FunctionNames {
 public:
  explicit FunctionNames(TextPool& texts) : texts_(texts) {}

  // The number of the name of a function's entry; 0 when it has none. With `plain`, as in C, there
  // is nothing around a name.
  uint32_t name_of(Dwarf_Die entry, bool plain);

  // To be called before libdw forgets what it has read.
  void forget();

 private:
  struct File {
    std::vector<UnitPlace> units;
    std::map<uint64_t, UnitScopes> scopes;     // by the unit's first entry
    tsl::robin_map<uint64_t, uint32_t> names;  // by the entry that has the plain name
  };

  std::string whole_name(Dwarf_Die entry, int depth);
  std::string scope_name(Dwarf_Die entry, int depth);
  const UnitScopes* scopes_of(Dwarf_Die& entry, File& file);
  File& file_of(Dwarf* dwarf);

  TextPool& texts_;
  tsl::robin_map<const char*, uint32_t> mangled_;  // by where libdw has the text
  std::map<Dwarf*, File> files_;
};

}  // namespace heapledger
