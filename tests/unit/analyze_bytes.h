// Analysis of ledgers that are only in memory.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analysis.h"
#include "analyzer/error.h"

namespace heapledger::test {

using NamedBytes = std::pair<std::string, std::string>;

inline Analysis analyze_named(const std::vector<NamedBytes>& files, Options options = {}) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const auto& [name, bytes] : files) sources.push_back(in_memory(name, bytes));
  // Parents are looked for among the same files.
  options.open_parent = [files](const std::string& path) {
    for (const auto& [name, bytes] : files) {
      if (name == path) return in_memory(name, bytes);
    }
    throw Error("not there: " + path, kExitUsage);
  };
  return analyze_sources(std::move(sources), options);
}

inline Analysis analyze_bytes(std::string_view bytes) {
  return analyze_named({{"test.ledger", std::string(bytes)}});
}

}  // namespace heapledger::test
