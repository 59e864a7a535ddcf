// Ledgers that are only in memory, for questions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/query.h"

namespace heapledger::test {

inline Ledgers open_bytes(std::vector<std::string> files, Options options = {}) {
  std::vector<Ledgers::Opener> openers;
  for (size_t i = 0; i < files.size(); ++i) {
    auto bytes = std::make_shared<std::string>(std::move(files[i]));
    std::string name = "test" + std::to_string(i) + ".ledger";
    openers.emplace_back([bytes, name] { return in_memory(name, *bytes); });
  }
  return Ledgers(std::move(openers), std::move(options));
}

}  // namespace heapledger::test
