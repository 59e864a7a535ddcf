// JSON as we print it: on one line, in pure ASCII, so that no name in it can do anything to a
// terminal; bytes that are not UTF-8 appear as \xNN.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heapledger {

using Json = nlohmann::ordered_json;

inline std::string json_line(const Json& json) {
  return json.dump(-1, ' ', true);
}

}  // namespace heapledger
