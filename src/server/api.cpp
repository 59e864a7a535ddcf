#include "server/api.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "analyzer/error.h"
#include "server/access.h"
#include "server/routes.h"
#include "text/text.h"

namespace heapledger::server {
namespace {

constexpr std::chrono::milliseconds kBetweenEvents{100};

Reply json_reply(unsigned status, const Json& json) {
  return {status, "application/json", json_line(json), nullptr};
}

Reply reply_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kCancelled:
      return refusal(409, "cancelled", "given up for a newer request");
    case ErrorKind::kQuestion:
      return refusal(400, "question", error.what());
    case ErrorKind::kData:
      return refusal(500, "data", error.what());
    default:
      return refusal(500, "system", error.what());
  }
}

// What `make` makes, or what went wrong.
template <typename Make>
Reply reply_by(Make&& make) {
  try {
    return make();
  } catch (const Error& error) {
    return reply_of(error);
  } catch (const std::bad_alloc&) {
    return refusal(500, "system", "out of memory");
  } catch (const std::exception& error) {
    return refusal(500, "system", std::string("internal error: ") + error.what());
  }
}

// Lines of how far something is, not more often than anybody sees.
class ProgressEvents {
 public:
  ProgressEvents(Events& events, std::string lane) : events_(events), lane_(std::move(lane)) {}
  ~ProgressEvents() { events_.tell("progress " + lane_, ""); }
  ProgressEvents(const ProgressEvents&) = delete;
  ProgressEvents& operator=(const ProgressEvents&) = delete;

  void tell(uint64_t done, uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (lane_.empty() || now < next_) return;
    next_ = now + kBetweenEvents;
    Json json = Json::object();
    json["progress"] = {{"lane", lane_}, {"done", done}, {"total", total}};
    events_.tell("progress " + lane_, json_line(json));
  }

 private:
  Events& events_;
  std::string lane_;
  std::chrono::steady_clock::time_point next_{};
};

Json body_of(const std::string& text) {
  Json body;
  std::string why;
  if (!read_json(text, body, why)) {
    throw Error("the request cannot be read: " + why, ErrorKind::kQuestion);
  }
  if (!body.is_object()) throw Error("the request is no JSON object", ErrorKind::kQuestion);
  return body;
}

std::string lane_of(const Json& body) {
  const Json* lane = body.find("lane");
  if (lane == nullptr) return "";
  if (lane->text() == nullptr || lane->text()->size() > 100) {
    throw Error("'lane' is not a short text", ErrorKind::kQuestion);
  }
  return *lane->text();
}

}  // namespace

// The ledgers once they are read. Askers are made from them in any thread; they themselves belong
// to the one that reads.
struct Api::Read {
  Read(Shown its_shown, Json its_recording)
      : shown(std::move(its_shown)),
        threads(shown.ledgers->facts()),
        start_wall_ns(its_recording.find("start_wall_ns")->natural().value_or(0)),
        recording(std::move(its_recording)) {}

  Shown shown;
  ThreadNumbers threads;
  uint64_t start_wall_ns;
  Json recording;  // with the mutex
};

Api::Api(Opener opener, std::function<void(std::exception_ptr)> read)
    : when_read_(std::move(read)),
      reader_([this, opener = std::move(opener)](const std::stop_token& stop) {
        this->read(opener, stop);
      }) {}

Api::~Api() = default;

void Api::read(const Opener& opener, const std::stop_token& stop) {
  std::exception_ptr failure;
  const Reply outcome = reply_by([&] {
    try {
      const auto told = [this](uint64_t done, uint64_t total, const std::string& what) {
        const std::lock_guard lock(mutex_);
        reading_ = {done, total, what};
      };
      Shown shown = opener(told, stop);
      Json recording = recording_json(shown);
      auto read = std::make_shared<Read>(std::move(shown), std::move(recording));
      const std::lock_guard lock(mutex_);
      read_ = std::move(read);
    } catch (...) {
      failure = std::current_exception();
      throw;
    }
    return Reply{};
  });
  if (outcome.status != 200) {
    const std::lock_guard lock(mutex_);
    failure_ = outcome;
  }
  events_.begin_alone_now();
  events_.tell("ready", "{\"ready\":true}");
  if (when_read_) when_read_(failure);
  if (failure == nullptr) make_index(stop);
}

void Api::make_index(const std::stop_token& stop) {
  ProgressEvents progress(events_, "index");
  Ledgers ledgers = read_->shown.ledgers->for_asker(
      {[&progress](uint64_t done, uint64_t total) { progress.tell(done, total); }, stop});
  const Reply outcome = reply_by([&] {
    if (!ledgers.make_index()) return Reply{};
    const Json index = index_json(ledgers);
    {
      const std::lock_guard lock(mutex_);
      read_->recording.update(index);
    }
    events_.tell("index", "{\"index\":true}");
    return Reply{};
  });
  // Without an index everything can be asked, too.
  (void)outcome;
}

std::shared_ptr<Api::Read> Api::what_is_read() const {
  const std::lock_guard lock(mutex_);
  return read_;
}

Reply Api::recording() const {
  const std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  if (read_ != nullptr) return json_reply(200, read_->recording);
  Json json = Json::object();
  json["reading"] = {{"done", reading_.done}, {"total", reading_.total}, {"what", reading_.what}};
  return json_reply(202, json);
}

Reply Api::answer(const std::string& path, const std::string& body, const std::stop_token& gone) {
  return reply_by([&]() -> Reply {
    const Json asked = body_of(body);
    if (path == "/api/recording") return recording();
    if (path != "/api/events") return ask(path, asked, gone);
    Reply reply;
    reply.type = "application/x-ndjson";
    reply.stream = [this](const WriteSome& write, const std::stop_token& stop) {
      events_.follow(write, stop);
    };
    return reply;
  });
}

Reply Api::ask(const std::string& path, const Json& body, const std::stop_token& gone) {
  const std::span<const Route> all = routes();
  const auto route =
      std::find_if(all.begin(), all.end(), [&path](const Route& one) { return one.path == path; });
  if (route == all.end()) return refusal(404, "question", "there is nothing to ask at " + path);
  const std::shared_ptr<Read> read = what_is_read();
  if (read == nullptr) return recording();
  const std::string lane = lane_of(body);
  const Lanes::Way way(lanes_, lane, gone);
  ProgressEvents progress(events_, lane);
  bool has_read = false;
  Ledgers ledgers = read->shown.ledgers->for_asker({[&](uint64_t done, uint64_t total) {
                                                      has_read = true;
                                                      progress.tell(done, total);
                                                    },
                                                    way.stop()});
  Asked asked{ledgers, files_, read->threads, read->start_wall_ns, has_read};
  const Json answer = route->answer(asked, body);
  if (way.stop().stop_requested()) throw Error("cancelled", ErrorKind::kCancelled);
  return json_reply(200, answer);
}

}  // namespace heapledger::server
