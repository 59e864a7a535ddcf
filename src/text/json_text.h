// JSON as we print it: on one line, in pure ASCII, so that no name in it can do anything to a
// terminal; members stand in the order in which they were put.
//
// read_json() makes such a value of a text.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace heapledger {

class Json {
 public:
  Json() = default;  // null
  // A list whose elements are all pairs of a text and a value is an object, any other is an array.
  Json(std::initializer_list<Json> list);

  // NOLINTBEGIN(google-explicit-constructor): values are written as they are.
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Json(Number value) {
    if constexpr (std::signed_integral<Number>) {
      value_ = int64_t{value};
    } else {
      value_ = uint64_t{value};
    }
  }
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <typename Element>
  Json(const std::vector<Element>& elements) : value_(Elements(elements.begin(), elements.end())) {}
  Json(std::vector<Json> elements) : value_(std::move(elements)) {}
  // NOLINTEND(google-explicit-constructor)

  static Json array(std::initializer_list<Json> elements = {});
  static Json object();

  // Of an object, or of null, which becomes one.
  Json& operator[](std::string_view name);
  // Puts the members of another object over ours.
  void update(const Json& other);
  bool contains(std::string_view name) const;

  // Of an array, or of null, which becomes one.
  void push_back(Json element);

  // Of an array: its elements.
  const Json* begin() const;
  const Json* end() const;
  // Elements or members; 0 for null, 1 for everything else.
  size_t size() const;
  bool empty() const { return size() == 0; }
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_array() const { return std::holds_alternative<Elements>(value_); }
  bool is_object() const { return std::holds_alternative<Members>(value_); }

  // What it is, nullptr or nothing if it is something else. A whole number is a real one, too.
  const Json* find(std::string_view name) const { return const_cast<Json*>(this)->member(name); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const bool* truth() const { return std::get_if<bool>(&value_); }
  std::optional<uint64_t> natural() const;
  std::optional<double> real() const;
  // Of an object, in order.
  std::vector<std::string_view> names() const;

  std::string line() const;

 private:
  using Elements = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Members = std::vector<Member>;

  Json* member(std::string_view name);
  void write(std::string& to) const;

  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Elements, Members>
      value_;
};

// False when the text is no JSON; `why` then says what is wrong with it.
bool read_json(std::string_view text, Json& json, std::string& why);

inline std::string json_line(const Json& json) {
  return json.line();
}

}  // namespace heapledger
