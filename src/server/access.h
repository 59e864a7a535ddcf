// Who may ask: whoever has the token, from this machine, out of our own page. A page from elsewhere
// that leads a name of its own to our address has another Host; one that sends requests here is
// another Origin, which the browser says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/message.h"

namespace heapledger::server {

// A reply that refuses with this status, as all errors are told: {"error": {"kind", "text"}}.
Reply refusal(unsigned status, const std::string& kind, const std::string& text);

class Access {
 public:
  Access(uint16_t port, std::string token);

  // Nothing: welcome. The page and what belongs to it hold no secrets, and a link may lead to the
  // page; questions have to come from it.
  std::optional<Reply> refuse_file(const Request& request) const;
  std::optional<Reply> refuse_question(const Request& request) const;

 private:
  std::optional<Reply> refuse_any(const Request& request) const;
  bool is_ours(const std::string& host) const;

  std::string port_;
  std::string token_;
};

}  // namespace heapledger::server
