#include "server/loopback_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "analyzer/error.h"

namespace heapledger::server {

LoopbackSocket::LoopbackSocket(uint16_t port) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  // The port of a server that ended a moment ago is free.
  ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* place = reinterpret_cast<sockaddr*>(&address);
  if (fd_ >= 0 && ::bind(fd_, place, size) == 0 && ::listen(fd_, 64) == 0 &&
      ::getsockname(fd_, place, &size) == 0) {
    port_ = ntohs(address.sin_port);
    return;
  }
  const int why = errno;
  if (fd_ >= 0) ::close(fd_);
  const std::string where = port == 0 ? "" : " on port " + std::to_string(port);
  throw Error("cannot listen" + where + " at 127.0.0.1: " + std::strerror(why) +
                  (port == 0 ? "" : "; take another port, or none, and a free one is found"),
              port == 0 ? ErrorKind::kSystem : ErrorKind::kQuestion);
}

LoopbackSocket::~LoopbackSocket() {
  ::close(fd_);
}

}  // namespace heapledger::server
