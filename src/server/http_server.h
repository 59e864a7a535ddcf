// Takes the connections that come to a socket, with a thread for each and no more than so many of
// them. Every reply is made by the one handler, in several threads at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <thread>
#include <utility>

#include "server/connection.h"
#include "server/loopback_socket.h"

namespace heapledger::server {

struct HttpLimits {
  RequestLimits requests;
  Patience patience;
  size_t connections = 64;
};

class HttpServer {
 public:
  HttpServer(const LoopbackSocket& socket, const HttpLimits& limits, Handler handler);
  // Ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

 private:
  struct Served {
    explicit Served(std::unique_ptr<Connection> its_connection)
        : connection(std::move(its_connection)) {}
    std::unique_ptr<Connection> connection;
    std::atomic<bool> ended{false};
    std::thread thread;
  };

  void run();
  void take_connection();
  void remove_ended();
  void wake() const;

  HttpLimits limits_;
  Handler handler_;
  int listening_;
  int woken_;
  std::atomic<bool> ending_{false};
  std::list<Served> served_;  // of the thread that accepts
  std::thread thread_;
};

}  // namespace heapledger::server
