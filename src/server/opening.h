// What a server shows: ledgers that somebody else opens, since only he knows how they were named.
// Opening takes a while; the server is there from the beginning, and says how far it is. What goes
// on is opened again and again.
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

  // More comes: opened again after a while, it shows that too.
  bool goes_on = false;
  // Of a heap that is looked at now and then, one look: earlier ones are worth keeping beside it.
  bool is_one_look = false;
  uint64_t held_bytes = 0;  // what keeping it takes

  // Another recording that this one is compared with, opened once; nullptr: none.
  std::shared_ptr<const Shown> earlier;
};

// How far something is, of how much, and what it is: "reading", "naming".
using Told = std::function<void(uint64_t done, uint64_t total, const std::string& what)>;

// In a thread of its own. Throws Error; when it was opened before: there will be no more, and why.
using Opener = std::function<Shown(const Told& told, const std::stop_token& stop)>;

// Sets a marker in what is recorded at the moment. Throws Error.
using SetMarker = std::function<void(const std::string& text)>;

}  // namespace heapledger::server
