// A recording in a browser: the page and the answers to its questions, on the loopback interface,
// for whoever has the token. Knows nothing of options; `heapledger view` says what is opened, and
// when it ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "server/access.h"
#include "server/api.h"
#include "server/http_server.h"
#include "server/loopback_socket.h"
#include "server/opening.h"

namespace heapledger::server {

struct ServerOptions {
  uint16_t port = 0;  // 0: any that is free
  HttpLimits limits;
  // When the ledgers are read, in another thread; with why, if they cannot be.
  std::function<void(std::exception_ptr failure)> read;
  SetMarker set_marker;  // none: nothing that is shown goes on
};

class Server {
 public:
  // Listens from now on. Throws Error when the port is taken.
  Server(Opener opener, const ServerOptions& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const { return socket_.port(); }
  // With the token behind it, which a browser sends to nobody.
  std::string url() const;

  // How long no page has been open; 0 while one is. Counts from when they are read, at the
  // earliest.
  std::chrono::nanoseconds alone() { return api_.events().alone(); }

 private:
  Reply reply(const Request& request, const std::stop_token& gone);

  std::string token_;
  LoopbackSocket socket_;
  Access access_;
  Api api_;
  HttpServer http_;  // last: it calls the others from its threads
};

}  // namespace heapledger::server
