#include "server/http_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

namespace heapledger::server {

HttpServer::HttpServer(const LoopbackSocket& socket, const HttpLimits& limits, Handler handler)
    : limits_(limits),
      handler_(std::move(handler)),
      listening_(socket.fd()),
      woken_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  ending_ = true;
  wake();
  thread_.join();
  for (Served& one : served_) one.connection->shut();
  for (Served& one : served_) one.thread.join();
  served_.clear();
  ::close(woken_);
}

void HttpServer::wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = ::write(woken_, &one, sizeof one);
}

// Takes connections, and looks after those whose threads are making a reply.
void HttpServer::run() {
  std::vector<pollfd> waiting;
  std::vector<Connection*> busy;
  while (!ending_) {
    remove_ended();
    waiting = {{listening_, POLLIN, 0}, {woken_, POLLIN, 0}};
    busy.clear();
    for (Served& one : served_) {
      if (one.ended || !one.connection->is_busy()) continue;
      busy.push_back(one.connection.get());
      waiting.push_back({one.connection->socket(), POLLRDHUP, 0});
    }
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    for (size_t i = 0; i < busy.size(); ++i) {
      if (waiting[i + 2].revents != 0) busy[i]->shut();
    }
    uint64_t count = 0;
    if (waiting[1].revents != 0) {
      [[maybe_unused]] const ssize_t got = ::read(woken_, &count, sizeof count);
    }
    if (waiting[0].revents != 0) take_connection();
  }
}

void HttpServer::take_connection() {
  const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    // Of files there are none left: whoever waits there is still there in a moment.
    if (errno == EMFILE || errno == ENFILE) ::poll(nullptr, 0, 100);
    return;
  }
  if (served_.size() >= limits_.connections) {
    const std::string refusal = head_of({503, "text/plain", "", nullptr}, false);
    ::send(socket, refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::close(socket);
    return;
  }
  Served& one = served_.emplace_back(
      std::make_unique<Connection>(socket, limits_.requests, limits_.patience));
  one.thread = std::thread([this, &one] {
    one.connection->serve(handler_, [this] { wake(); });
    one.ended = true;
    wake();
  });
}

void HttpServer::remove_ended() {
  served_.remove_if([](Served& one) {
    if (!one.ended) return false;
    one.thread.join();
    return true;
  });
}

}  // namespace heapledger::server
