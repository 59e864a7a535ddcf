// The one file that includes the library that reads JSON.
#include <nlohmann/json.hpp>
#include <vector>

#include "text/json_text.h"

namespace heapledger {
namespace {

constexpr size_t kDeepest = 256;

// Makes a Json of what the library tells it.
class JsonReader {
 public:
  Json take() { return std::move(root_); }
  const std::string& why() const { return why_; }

  bool null() { return put(Json()); }
  bool boolean(bool value) { return put(Json(value)); }
  bool number_integer(int64_t value) { return put(Json(value)); }
  bool number_unsigned(uint64_t value) { return put(Json(value)); }
  bool number_float(double value, const std::string&) { return put(Json(value)); }
  bool string(std::string& value) { return put(Json(std::move(value))); }
  bool binary(std::vector<uint8_t>&) { return false; }

  bool start_object(size_t) { return open(Json::object()); }
  bool start_array(size_t) { return open(Json::array()); }
  bool key(std::string& name) {
    names_.back() = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(size_t place, const std::string&, const nlohmann::json::exception&) {
    why_ = "it is no JSON from byte " + std::to_string(place) + " on";
    return false;
  }

 private:
  bool open(Json json) {
    if (open_.size() == kDeepest) {
      why_ = "it is nested too deeply";
      return false;
    }
    open_.push_back(std::move(json));
    names_.emplace_back();
    return true;
  }
  bool close() {
    Json json = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    return put(std::move(json));
  }
  bool put(Json json) {
    if (open_.empty()) {
      root_ = std::move(json);
    } else if (open_.back().is_object()) {
      open_.back()[names_.back()] = std::move(json);
    } else {
      open_.back().push_back(std::move(json));
    }
    return true;
  }

  Json root_;
  std::vector<Json> open_;
  std::vector<std::string> names_;  // of the member that is read, for each that is open
  std::string why_;
};

}  // namespace

bool read_json(std::string_view text, Json& json, std::string& why) {
  JsonReader reader;
  if (!nlohmann::json::sax_parse(text, &reader)) {
    why = reader.why();
    return false;
  }
  json = reader.take();
  return true;
}

}  // namespace heapledger
