// A book to begin with: is told everything, and keeps nothing (scan.h says what is told).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/account_numbers.h"
#include "analyzer/scan.h"

namespace heapledger {

class QuietBook : public AccountNumbers {
 public:
  std::vector<LiveHeaps*>& tables() { return tables_; }

  bool wants_prefetch() const { return false; }
  void prefetch(uint32_t) const {}
  void born(uint32_t, LiveBlock&, const Weight&) {}
  void died(uint32_t, const LiveBlock&, const Death&, const Weight&) {}
  void lost(uint32_t, const LiveBlock&, uint64_t, const Weight&) {}
  void left(uint32_t, const LiveBlock&, uint64_t, const Weight&) {}
  void spent(uint32_t, const LiveBlock&, uint64_t) {}
  void resized(uint32_t, const Resize&) {}
  void sampled(uint32_t, const MemorySample&) {}
  void marked(uint32_t, uint64_t, std::string_view) {}
  void ended(uint32_t, uint64_t) {}

 private:
  std::vector<LiveHeaps*> tables_;
};

}  // namespace heapledger
