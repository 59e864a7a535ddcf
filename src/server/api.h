// All that can be asked of a recording, from the path and the body of a request to its reply. Reads
// and names the ledgers in a thread of its own from the beginning, then makes the index; says by
// events how far that is. What goes on is read again and again until it ends, as a whole: whoever
// asks meanwhile gets answers of the reading before.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "server/events.h"
#include "server/files.h"
#include "server/lanes.h"
#include "server/message.h"
#include "server/opening.h"
#include "server/readings.h"
#include "server/recording.h"

namespace heapledger::server {

class Api {
 public:
  // `read` is called once, when questions can be answered, or never will be: then with why.
  Api(Opener opener, std::function<void(std::exception_ptr failure)> read,
      SetMarker set_marker = {});
  // Waits for what is being read, but not to its end where that can be helped.
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  // In any thread. `gone`: nobody waits for the reply any more.
  Reply answer(const std::string& path, const std::string& body, const std::stop_token& gone);

  Events& events() { return events_; }

 private:
  using Read = Reading;

  void read(const Opener& opener, const std::stop_token& stop);
  void make_index(const std::stop_token& stop);
  void follow(const Opener& opener, const std::stop_token& stop);
  bool read_again(const Opener& opener, const std::stop_token& stop);
  void put(std::shared_ptr<Read> read);
  std::shared_ptr<Read> what_is_read(const Json& body) const;
  Reply recording(const Json& body) const;
  Reply mark(const Json& body) const;
  Reply ask(const std::string& path, const Json& body, const std::stop_token& gone);

  std::function<void(std::exception_ptr)> when_read_;
  SetMarker set_marker_;
  Events events_;
  Lanes lanes_;
  FileNumbers files_;

  mutable std::mutex mutex_;
  Readings readings_;  // empty: not yet
  std::optional<Reply> failure_;
  struct {
    uint64_t done = 0;
    uint64_t total = 0;
    std::string what = "reading";
  } reading_;

  std::jthread reader_;  // last: it uses the rest
};

}  // namespace heapledger::server
