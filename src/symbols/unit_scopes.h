// What the functions of a unit are declared in: namespaces, classes, other functions. Compilers
// give functions that only one file can see no mangled name, so that is where theirs begins.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbols/abbrevs.h"

namespace heapledger {

class UnitScopes {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Scope {
    uint64_t entry;   // offset in .debug_info
    uint32_t parent;  // kNone: the unit
  };

  // One pass over the entries of the unit.
  UnitScopes(std::string_view info, const UnitPlace& unit, const Abbrevs& abbrevs);

  // The scope that is the entry at this offset; nullptr when it is none.
  const Scope* find(uint64_t entry) const;
  const Scope* parent(const Scope& scope) const {
    return scope.parent == kNone ? nullptr : &scopes_[scope.parent];
  }

 private:
  std::vector<Scope> scopes_;  // in the order of the file
};

}  // namespace heapledger
