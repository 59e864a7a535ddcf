// Which sites belong together: to the same function, or to the same neighbourhood, which is the
// class or namespace of that function or, where a name has none, its file. Names are looked up when
// they are asked for, once for each site.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/query.h"

namespace heapledger {

class Neighbours {
 public:
  explicit Neighbours(Ledgers& ledgers) : ledgers_(ledgers) {}

  // Sites without a name are in nobody's company.
  bool same_function(uint32_t a, uint32_t b);
  uint32_t neighbourhood(uint32_t site);

 private:
  struct Numbers {
    uint32_t function = 0;
    uint32_t neighbourhood = 0;
  };

  const Numbers& numbers(uint32_t site);
  uint32_t number_of(const std::string& text);

  Ledgers& ledgers_;
  std::unordered_map<uint32_t, Numbers> known_;      // by site
  std::unordered_map<std::string, uint32_t> texts_;  // from 1 on
};

// "Cache" of "Cache<int>::insert(int)"; empty when a name has no scope.
std::string scope_of(const std::string& function);

}  // namespace heapledger
