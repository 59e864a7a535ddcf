// JSON-like values: a text is parsed into maps, lists and strings and walked once, as a server does
// with a request.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace heapledger::bench {

struct Value {
  std::string text;
  std::vector<Value> items;
  std::map<std::string, std::unique_ptr<Value>> fields;
};

// Writes a random nested value in the notation that ValueParser reads: {key:value,…}, [value,…] or
// a bare word.
inline void write_value(Random& random, unsigned depth, std::string& out) {
  if (depth == 0 || random.one_in(4)) {
    out += random.one_in(2) ? "no" : "a_rather_long_text_value_";
    out += std::to_string(random.below(100000));
    return;
  }
  bool object = !random.one_in(3);
  out += object ? '{' : '[';
  for (unsigned i = 0, count = 2 + random.below(5); i < count; ++i) {
    if (i > 0) out += ',';
    if (object) {
      out += random.one_in(3) ? "attribute_of_the_order_" : "key";
      out += std::to_string(i);
      out += ':';
    }
    write_value(random, depth - 1, out);
  }
  out += object ? '}' : ']';
}

class ValueParser {
 public:
  explicit ValueParser(std::string_view text) : left_(text) {}

  Value parse() {
    Value value;
    if (accept('{')) {
      while (!accept('}')) {
        std::string key = word();
        accept(':');
        value.fields.emplace(std::move(key), std::make_unique<Value>(parse()));
        accept(',');
      }
    } else if (accept('[')) {
      while (!accept(']')) {
        value.items.push_back(parse());
        accept(',');
      }
    } else {
      value.text = word();
    }
    return value;
  }

 private:
  bool accept(char c) {
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }

  std::string word() {
    size_t length = left_.find_first_of("{}[]:,");
    std::string result(left_.substr(0, length));
    left_.remove_prefix(result.size());
    return result;
  }

  std::string_view left_;
};

inline uint64_t digest(const Value& value) {
  uint64_t sum = digest(value.text.data(), value.text.size());
  for (const Value& item : value.items) sum = mix(sum + digest(item));
  for (const auto& [key, field] : value.fields) {
    sum = mix(sum + digest(key.data(), key.size()) + digest(*field));
  }
  return sum;
}

}  // namespace heapledger::bench
