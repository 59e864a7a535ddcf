// The modules of two sets of ledgers: which of them are the same build on both sides, so that
// offsets and lines mean the same. A frame without a name can be told by its module's base name and
// offset only there.
#pragma once

#include <map>
#include <set>
#include <string>

#include "analyzer/query.h"

namespace heapledger {

class DifferenceBuilds {
 public:
  // The same ledgers may be given twice.
  DifferenceBuilds(Ledgers& before, Ledgers& after);

  bool same_ledgers() const { return same_; }
  bool agree(const std::string& module) const;

  // What to match a frame or a group without a function by; what matches nothing is noted.
  std::string unnamed(size_t side, const std::string& name, const std::string& module);

  const std::set<std::string>& unmatched_modules() const { return unmatched_; }

 private:
  using BuildIds = std::map<std::string, std::set<std::string>>;  // by base name
  bool same_;
  BuildIds sides_[2];
  std::set<std::string> unmatched_;
};

std::string base_name_of(const std::string& path);

// Without return type, arguments, and what compilers add to the names of copies they make:
// "void f(int) [clone .part.0]" gives "f".
std::string plain_function(const std::string& function);

}  // namespace heapledger
