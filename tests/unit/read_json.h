// Reads JSON back with a library, to look into what we have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "text/json_text.h"

namespace heapledger {

using ReadJson = nlohmann::ordered_json;

inline ReadJson read_json(const std::string& text) {
  return ReadJson::parse(text);
}

inline ReadJson read_json(const Json& written) {
  return read_json(json_line(written));
}

}  // namespace heapledger
