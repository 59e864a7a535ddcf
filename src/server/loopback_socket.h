// A socket that listens on the loopback interface and nowhere else.
#pragma once

#include <cstdint>

namespace heapledger::server {

class LoopbackSocket {
 public:
  // On a port of the system's choice, if it is 0. Throws Error when it is taken.
  explicit LoopbackSocket(uint16_t port);
  ~LoopbackSocket();
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;

  int fd() const { return fd_; }
  uint16_t port() const { return port_; }

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
};

}  // namespace heapledger::server
