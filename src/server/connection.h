// One connection: requests are read from it and replies written to it, one after the other, never
// for longer than is allowed. Whoever wants it to end shuts its socket, upon which both return.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "server/message.h"
#include "server/request_reader.h"

namespace heapledger::server {

struct Patience {
  std::chrono::milliseconds idle{60'000};     // for the next request to begin
  std::chrono::milliseconds request{10'000};  // for one that has begun
  std::chrono::milliseconds write{30'000};    // for somebody to read a reply
};

// In a thread of whichever connection it is; `gone` when nobody waits for the reply any more.
using Handler = std::function<Reply(const Request& request, const std::stop_token& gone)>;

class Connection {
 public:
  // Owns the socket.
  Connection(int socket, RequestLimits limits, Patience patience);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Until it is closed, by whomever.
  void serve(const Handler& handler, const std::function<void()>& changed);

  // From another thread: while a reply is made, nobody reads, so somebody else has to see when the
  // other side is gone.
  bool is_busy() const { return busy_ && !gone_.stop_requested(); }
  int socket() const { return socket_; }
  void shut();

 private:
  std::optional<Request> read();
  bool reply(const Reply& reply, bool keep_alive, bool with_body);
  bool write(std::string_view bytes);
  bool write_stream(const Reply& reply);
  bool wait_for(short what, std::chrono::milliseconds time) const;

  int socket_;
  Patience patience_;
  RequestReader reader_;
  std::stop_source gone_;
  std::atomic<bool> busy_{false};
};

}  // namespace heapledger::server
