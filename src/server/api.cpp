#include "server/api.h"

#include <algorithm>
#include <array>
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
constexpr std::chrono::seconds kBetweenReadings{1};

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

// What is asked about: what is shown, or what that is compared with.
const Reading& asked_about(const Reading& read, const Json& body) {
  const Json* of = body.find("of");
  if (of == nullptr) return read;
  if (of->text() == nullptr || *of->text() != "earlier" || read.earlier == nullptr) {
    throw Error("'of' is \"earlier\", where there is another recording to compare with",
                ErrorKind::kQuestion);
  }
  return *read.earlier;
}

// Nothing has happened meanwhile.
bool says_the_same(const Reading& newer, const Reading& older) {
  if (newer.shown.is_one_look || newer.shown.goes_on != older.shown.goes_on) return false;
  constexpr std::array<std::string_view, 4> kTold = {"totals", "markers", "processes", "has_index"};
  return std::all_of(kTold.begin(), kTold.end(), [&](std::string_view name) {
    return json_line(*newer.recording.find(name)) == json_line(*older.recording.find(name));
  });
}

}  // namespace

Api::Api(Opener opener, std::function<void(std::exception_ptr)> read, SetMarker set_marker)
    : when_read_(std::move(read)),
      set_marker_(std::move(set_marker)),
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
      put(std::make_shared<Read>(std::move(shown), std::move(recording)));
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
  if (failure != nullptr) return;
  make_index(stop);
  follow(opener, stop);
}

// What is said of going on is said of what does, or has done.
void Api::put(std::shared_ptr<Read> read) {
  const bool goes_on = read->shown.goes_on;
  const std::lock_guard lock(mutex_);
  if (goes_on || !readings_.empty()) {
    read->recording["goes_on"] = goes_on;
    read->recording["can_mark"] = goes_on && set_marker_ != nullptr;
  }
  readings_.add(std::move(read));
}

// Reading takes no more than a fifth of the time.
void Api::follow(const Opener& opener, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  std::mutex alone;
  std::condition_variable_any woken;
  Clock::duration pause = kBetweenReadings;
  while (readings_.newest()->shown.goes_on) {
    std::unique_lock lock(alone);
    woken.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    const auto begin = Clock::now();
    if (!read_again(opener, stop)) return;
    pause = std::max<Clock::duration>(kBetweenReadings, 4 * (Clock::now() - begin));
  }
}

// Shown when it is whole, with its index. False: there will be no more.
bool Api::read_again(const Opener& opener, const std::stop_token& stop) {
  Json event = Json::object();
  const Reply outcome = reply_by([&] {
    Shown shown = opener([](uint64_t, uint64_t, const std::string&) {}, stop);
    Json recording = recording_json(shown);
    if (shown.ledgers->make_index(false)) recording.update(index_json(*shown.ledgers));
    shown.ledgers->settle();
    auto read = std::make_shared<Read>(std::move(shown), std::move(recording));
    if (says_the_same(*read, *readings_.newest())) return Reply{};
    put(read);
    event["grown"] = {{"reading", read->number}, {"goes_on", read->shown.goes_on}};
    return Reply{};
  });
  if (stop.stop_requested()) return false;
  if (outcome.status != 200) {
    Json body;
    std::string why;
    const bool is_told = read_json(outcome.body, body, why) && body.contains("error");
    const Json* text = is_told ? body.find("error")->find("text") : nullptr;
    const std::lock_guard lock(mutex_);
    Json& last = readings_.newest()->recording;
    last["goes_on"] = last["can_mark"] = false;
    last["ended"] = text != nullptr ? *text : Json("it cannot be read any more");
    event["grown"] = {{"reading", readings_.newest()->number}, {"goes_on", false}};
  }
  if (!event.empty()) events_.tell("grown", json_line(event));
  return outcome.status == 200;
}

void Api::make_index(const std::stop_token& stop) {
  ProgressEvents progress(events_, "index");
  const std::shared_ptr<Read> read = readings_.newest();  // nobody else adds one
  Ledgers ledgers = read->shown.ledgers->for_asker(
      {[&progress](uint64_t done, uint64_t total) { progress.tell(done, total); }, stop});
  const Reply outcome = reply_by([&] {
    // What is kept is there at once; the rest of it comes when it comes.
    if (!ledgers.make_index(false)) return Reply{};
    const Json index = index_json(ledgers);
    {
      const std::lock_guard lock(mutex_);
      read->recording.update(index);
    }
    events_.tell("index", "{\"index\":true}");
    ledgers.make_index();
    if (read->earlier != nullptr) {
      Ledgers earlier = read->earlier->shown.ledgers->for_asker({{}, stop});
      earlier.make_index();
      earlier.settle();
    }
    ledgers.settle();
    return Reply{};
  });
  // Without an index everything can be asked, too.
  (void)outcome;
}

// The newest, unless another one is asked for. nullptr: there is none yet.
std::shared_ptr<Api::Read> Api::what_is_read(const Json& body) const {
  const std::lock_guard lock(mutex_);
  if (readings_.empty()) return nullptr;
  const Json* wanted = body.find("reading");
  if (wanted == nullptr) return readings_.newest();
  std::shared_ptr<Read> found = readings_.find(wanted->natural().value_or(0));
  if (found != nullptr) return found;
  throw Error("there is no such reading, or it is not kept any more", ErrorKind::kQuestion);
}

Reply Api::recording(const Json& body) const {
  const std::shared_ptr<Read> read = what_is_read(body);
  const std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  if (read != nullptr) {
    Json json = read->recording;
    if (json.contains("goes_on")) json["number"] = read->number;
    if (read->shown.is_one_look) json["readings"] = readings_.summary();
    return json_reply(200, json);
  }
  Json json = Json::object();
  json["reading"] = {{"done", reading_.done}, {"total", reading_.total}, {"what", reading_.what}};
  return json_reply(202, json);
}

Reply Api::mark(const Json& body) const {
  const Json* text = body.find("text");
  if (text == nullptr || text->text() == nullptr || text->text()->empty()) {
    throw Error("a marker needs a name: 'text'", ErrorKind::kQuestion);
  }
  if (!set_marker_) throw Error("nothing that is shown goes on", ErrorKind::kQuestion);
  set_marker_(*text->text());
  Json json = Json::object();
  json["marker"] = *text;
  return json_reply(200, json);
}

Reply Api::answer(const std::string& path, const std::string& body, const std::stop_token& gone) {
  return reply_by([&]() -> Reply {
    const Json asked = body_of(body);
    if (path == "/api/recording") return recording(asked);
    if (path == "/api/marker") return mark(asked);
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
  const std::shared_ptr<Read> read = what_is_read(body);
  if (read == nullptr) return recording(body);
  const std::string lane = lane_of(body);
  const Lanes::Way way(lanes_, lane, gone);
  ProgressEvents progress(events_, lane);
  bool has_read = false;
  const auto askers_of = [&](const Reading& reading) {
    return reading.shown.ledgers->for_asker({[&](uint64_t done, uint64_t total) {
                                               has_read = true;
                                               progress.tell(done, total);
                                             },
                                             way.stop()});
  };
  const Reading& about = asked_about(*read, body);
  Ledgers ledgers = askers_of(about);
  std::optional<Ledgers> earlier;
  if (read->earlier != nullptr) earlier = askers_of(*read->earlier);
  Asked asked{ledgers, files_, about.threads, about.start_wall_ns, earlier ? &*earlier : nullptr,
              has_read};
  const Json answer = route->answer(asked, body);
  if (way.stop().stop_requested()) throw Error("cancelled", ErrorKind::kCancelled);
  return json_reply(200, answer);
}

}  // namespace heapledger::server
