// What comes in and goes out over HTTP, as plain values: whoever answers needs no socket, and tests
// need none either.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heapledger::server {

struct Request {
  std::string method;
  std::string path;  // without the query, which nobody here looks at
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case
  bool keep_alive = false;

  // Nullptr when it is not there. One that comes twice has two meanings: asked_twice().
  const std::string* field(std::string_view name) const;
  bool asked_twice(std::string_view name) const;
};

// False: nobody reads any more.
using WriteSome = std::function<bool(std::string_view)>;

struct Reply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
  // Instead of a body: called once, writes as long as it likes or until somebody stops it.
  std::function<void(const WriteSome& write, const std::stop_token& stop)> stream;
};

std::string_view reason_of(unsigned status);

// The head of a reply, with what makes a browser careful with everything that we say.
std::string head_of(const Reply& reply, bool keep_alive);

}  // namespace heapledger::server
