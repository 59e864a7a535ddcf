// What a server shows: ledgers that somebody else opens, since only he knows how they were named.
// Opening takes a while; the server is there from the beginning, and says how far it is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "analyzer/query.h"

namespace heapledger::server {

struct Shown {
  std::shared_ptr<void> holder;  // of all that the ledgers need
  Ledgers* ledgers = nullptr;    // read and named
  std::string title;
  std::vector<std::string> paths;     // as people know them
  std::vector<std::string> warnings;  // what people must know before they trust the figures
};

// How far something is, of how much, and what it is: "reading", "naming".
using Told = std::function<void(uint64_t done, uint64_t total, const std::string& what)>;

// In a thread of its own. Throws Error.
using Opener = std::function<Shown(const Told& told, const std::stop_token& stop)>;

}  // namespace heapledger::server
