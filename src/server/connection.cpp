#include "server/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace heapledger::server {

using Clock = std::chrono::steady_clock;

Connection::Connection(int socket, RequestLimits limits, Patience patience)
    : socket_(socket), patience_(patience), reader_(limits) {}

Connection::~Connection() {
  ::close(socket_);
}

void Connection::shut() {
  gone_.request_stop();
  ::shutdown(socket_, SHUT_RDWR);
}

void Connection::serve(const Handler& handler, const std::function<void()>& changed) {
  bool more = true;
  while (more) {
    std::optional<Request> request = read();
    if (!request) return;
    busy_ = true;
    changed();
    const Reply made = handler(*request, gone_.get_token());
    more = request->keep_alive && !made.stream && !gone_.stop_requested();
    more = reply(made, more, request->method != "HEAD") && more;
    busy_ = false;
  }
}

// Nothing: there will be none. One that was refused was told so.
std::optional<Request> Connection::read() {
  std::array<char, 16 << 10> bytes;
  std::optional<Clock::time_point> end;  // of our patience with one that has begun
  bool more = reader_.put({});
  while (more) {
    if (!end && reader_.has_begun()) end = Clock::now() + patience_.request;
    const auto left =
        end ? std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now())
            : patience_.idle;
    if (!wait_for(POLLIN, left)) {
      if (end) reply({408, "text/plain", "The request did not end.\n", nullptr}, false, true);
      return std::nullopt;
    }
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    more = reader_.put({bytes.data(), static_cast<size_t>(got)});
  }
  if (const unsigned status = reader_.refusal(); status != 0) {
    reply({status, "text/plain", std::string(reason_of(status)) + "\n", nullptr}, false, true);
    // What still comes would make the kernel drop the reply before it is read.
    ::shutdown(socket_, SHUT_WR);
    while (wait_for(POLLIN, std::chrono::milliseconds(500)) &&
           ::recv(socket_, bytes.data(), bytes.size(), 0) > 0) {
    }
    return std::nullopt;
  }
  return reader_.take();
}

bool Connection::reply(const Reply& reply, bool keep_alive, bool with_body) {
  if (!write(head_of(reply, keep_alive))) return false;
  if (!with_body) return true;
  return reply.stream ? write_stream(reply) : write(reply.body);
}

bool Connection::write_stream(const Reply& reply) {
  const auto write_chunk = [this](std::string_view bytes) {
    if (bytes.empty()) return true;  // would be the end
    std::array<char, 20> digits;
    char* end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16).ptr;
    std::string chunk(digits.data(), end);
    chunk += "\r\n";
    chunk += bytes;
    chunk += "\r\n";
    return write(chunk);
  };
  reply.stream(write_chunk, gone_.get_token());
  return write("0\r\n\r\n");
}

bool Connection::write(std::string_view bytes) {
  const Clock::time_point end = Clock::now() + patience_.write;
  while (!bytes.empty()) {
    const ssize_t wrote = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote > 0) {
      bytes.remove_prefix(static_cast<size_t>(wrote));
    } else if (wrote < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      if (!wait_for(POLLOUT, left)) return false;
    } else if (wrote == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool Connection::wait_for(short what, std::chrono::milliseconds time) const {
  const Clock::time_point end = Clock::now() + time;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() < 0) return false;
    pollfd waiting{socket_, what, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace heapledger::server
