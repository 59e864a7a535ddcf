#include "importers/dhat_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "analyzer/error.h"
#include "text/text.h"
#include "text/utf8.h"

namespace heapledger {
namespace {

using Json = nlohmann::json;
using Event = Json::parse_event_t;

constexpr uint64_t kVersion = 2;
constexpr size_t kMostText = size_t{1} << 30;
constexpr int kDeepest = 8;
constexpr uint64_t kMost = uint64_t{1} << 56;    // of any figure
constexpr uint64_t kMostNs = uint64_t{1} << 62;  // more than a hundred years

// Names may be of any encoding, JSON may not.
void make_utf8(std::string& text) {
  size_t at = 0;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (!piece.valid) text[at] = '?';
    at += piece.bytes.size();
  }
}

class DhatParser {
 public:
  explicit DhatParser(LineSource& lines) : lines_(lines) {}

  DhatFile read() {
    std::string text = all_text();
    Json json;
    try {
      json = Json::parse(
          text, [this](int depth, Event event, Json& parsed) { return use(depth, event, parsed); });
    } catch (const Json::parse_error& error) {
      fail(error.byte > text.size() ? "it ends in the middle"
                                    : "byte " + std::to_string(error.byte) + " makes no sense");
    } catch (const Json::exception&) {
      fail("a number in it is too large");
    }
    if (!version_seen_) fail("it has no version");
    if (!points_seen_) fail("it has no program points");
    heading(json);
    frames(json);
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(lines_.name() + ": not a DHAT file that can be read: " + what, ErrorKind::kData);
  }

  [[noreturn]] void fail_in_point(const std::string& what) const {
    fail("program point " + std::to_string(file_.points.size() + 1) + ": " + what);
  }

  std::string all_text() {
    std::string text;
    std::string_view piece;
    while (lines_.next_piece(piece)) {
      if (text.size() + piece.size() > kMostText) fail("it is larger than 1 GiB");
      text += piece;
    }
    make_utf8(text);
    return text;
  }

  // Points are used as they come, and forgotten: a tree of all would take many times the file.
  bool use(int depth, Event event, Json& parsed) {
    if (depth > kDeepest) fail("it is nested too deeply");
    if (depth == 1 && event == Event::key) key_ = parsed.get<std::string>();
    if (depth == 1 && event == Event::value) check_heading(parsed);
    if (key_ != "pps") return true;
    points_seen_ = true;
    if (depth != 2) return true;
    if (event == Event::value || event == Event::array_end) fail_in_point("is not an object");
    if (event != Event::object_end) return true;
    point(parsed);
    return false;
  }

  // What cannot be read is told before the points make no sense.
  void check_heading(const Json& value) {
    if (key_ == "dhatFileVersion") {
      version_seen_ = value.is_number_unsigned() && value.get<uint64_t>() == kVersion;
      if (!version_seen_) fail("its version is " + value.dump() + ", not 2");
    } else if (key_ == "bklt" && value == Json(false)) {
      fail("it is of a mode without lifetimes of blocks (--mode=copy or ad-hoc)");
    }
  }

  uint64_t figure(const Json& object, const char* name) const {
    auto place = object.find(name);
    if (place == object.end()) fail_in_point("\"" + std::string(name) + "\" is missing");
    if (!place->is_number_unsigned() || place->get<uint64_t>() > kMost) {
      fail_in_point("\"" + std::string(name) + "\" is not a count");
    }
    return place->get<uint64_t>();
  }

  void point(const Json& object) {
    DhatPoint point;
    point.total = {figure(object, "tbk"), figure(object, "tb")};
    point.at_peak = {figure(object, "gbk"), figure(object, "gb")};
    point.at_end = {figure(object, "ebk"), figure(object, "eb")};
    auto frames = object.find("fs");
    if (frames == object.end() || !frames->is_array()) fail_in_point("\"fs\" is not a list");
    for (const Json& frame : *frames) {
      if (!frame.is_number_unsigned() || frame.get<uint64_t>() > UINT32_MAX) {
        fail_in_point("\"fs\" has something else than frames in it");
      }
      point.frames.push_back(frame.get<uint32_t>());
    }
    file_.points.push_back(std::move(point));
  }

  void heading(const Json& json) {
    auto command = json.find("cmd");
    if (command != json.end() && command->is_string()) file_.command = command->get<std::string>();
    auto unit = json.find("tu");
    std::string name = unit != json.end() && unit->is_string() ? unit->get<std::string>() : "";
    // Instructions are taken for microseconds: they have no time.
    uint64_t ns = name == "s" ? 1'000'000'000 : name == "ms" ? 1'000'000 : name == "ns" ? 1 : 1000;
    auto time = [&](const char* key) {
      auto place = json.find(key);
      if (place == json.end()) return uint64_t{0};
      if (!place->is_number_unsigned()) fail("\"" + std::string(key) + "\" is not a time");
      return std::min(place->get<uint64_t>(), kMostNs / ns) * ns;
    };
    file_.peak_ns = time("tg");
    file_.end_ns = std::max(time("te"), file_.peak_ns);
  }

  void frames(const Json& json) {
    auto table = json.find("ftbl");
    if (table == json.end() || !table->is_array()) fail("it has no table of frames");
    for (const Json& text : *table) {
      if (!text.is_string()) fail("its table of frames has something else in it");
      file_.frames.push_back(text.get<std::string>());
    }
    for (size_t i = 0; i < file_.points.size(); ++i) {
      for (uint32_t frame : file_.points[i].frames) {
        if (frame < file_.frames.size()) continue;
        fail("program point " + std::to_string(i + 1) + ": frame " + std::to_string(frame) +
             " is not in the table of " + std::to_string(file_.frames.size()));
      }
    }
  }

  LineSource& lines_;
  DhatFile file_;
  std::string key_;  // of the outermost object
  bool version_seen_ = false;
  bool points_seen_ = false;
};

}  // namespace

bool is_dhat(std::string_view beginning) {
  size_t first = beginning.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && beginning[first] == '{' &&
         beginning.find("\"dhatFileVersion\"") != std::string_view::npos;
}

DhatFile read_dhat(LineSource& lines) {
  return DhatParser(lines).read();
}

}  // namespace heapledger
