#include "text/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace heapledger {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

// One character of UTF-8, taken off the front; what is none becomes U+FFFD, a byte at a time.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  char32_t character = length == 1 ? first : first & (0xFFu >> (length + 1));
  bool good = first < 0x80 || (first >= 0xC2 && first < 0xF5 && length <= text.size());
  for (size_t at = 1; good && at < length; ++at) {
    good = (byte(at) & 0xC0) == 0x80;
    character = character << 6 | (byte(at) & 0x3F);
  }
  good = good && character >= kLeast[length] && character < 0x110000 &&
         (character < 0xD800 || character > 0xDFFF);
  text.remove_prefix(good ? length : 1);
  return good ? character : kReplacement;
}

void write_unit(std::string& to, uint32_t unit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  to += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) to += kDigits[unit >> shift & 15];
}

void write_character(std::string& to, char32_t character) {
  constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const auto letter =
      character < 0x80 ? kPlain.find(static_cast<char>(character)) : std::string_view::npos;
  if (letter != std::string_view::npos) {
    to += '\\';
    to += kLetters[letter];
  } else if (character >= 0x20 && character < 0x7F) {
    to += static_cast<char>(character);
  } else if (character < 0x10000) {
    write_unit(to, character);
  } else {
    write_unit(to, 0xD800 + ((character - 0x10000) >> 10));
    write_unit(to, 0xDC00 + ((character - 0x10000) & 0x3FF));
  }
}

void write_text(std::string& to, std::string_view text) {
  to += '"';
  while (!text.empty()) write_character(to, take_character(text));
  to += '"';
}

template <typename Number, typename... Form>
void write_number(std::string& to, Number number, Form... form) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, form...).ptr;
  to.append(digits.data(), end);
}

// As few digits as give the number back, and always as what it is: not a whole number.
void write_real(std::string& to, double number) {
  if (!std::isfinite(number)) {
    to += "null";
    return;
  }
  const double size = std::fabs(number);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e15);
  write_number(to, number, plain ? std::chars_format::fixed : std::chars_format::scientific);
  if (plain && number == std::floor(number)) to += ".0";
}

template <typename Items, typename Write>
void write_items(std::string& to, const Items& items, Write write) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) to += ',';
    first = false;
    write(item);
  }
}

}  // namespace

Json::Json(std::initializer_list<Json> list) {
  const auto is_pair = [](const Json& one) {
    const auto* elements = std::get_if<Elements>(&one.value_);
    return elements != nullptr && elements->size() == 2 &&
           std::holds_alternative<std::string>(elements->front().value_);
  };
  if (!std::all_of(list.begin(), list.end(), is_pair)) {
    value_ = Elements(list);
    return;
  }
  value_ = Members();
  for (const Json& pair : list) {
    const auto& elements = std::get<Elements>(pair.value_);
    (*this)[std::get<std::string>(elements[0].value_)] = elements[1];
  }
}

Json Json::array(std::initializer_list<Json> elements) {
  Json json;
  json.value_ = Elements(elements);
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Members();
  return json;
}

Json* Json::member(std::string_view name) {
  auto* members = std::get_if<Members>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(),
                                  [&](const Member& one) { return one.first == name; });
  return found == members->end() ? nullptr : &found->second;
}

Json& Json::operator[](std::string_view name) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Members();
  if (Json* present = member(name)) return *present;
  return std::get<Members>(value_).emplace_back(std::string(name), Json()).second;
}

void Json::update(const Json& other) {
  for (const auto& [name, value] : std::get<Members>(other.value_)) (*this)[name] = value;
}

bool Json::contains(std::string_view name) const {
  return find(name) != nullptr;
}

std::optional<uint64_t> Json::natural() const {
  if (const auto* natural = std::get_if<uint64_t>(&value_)) return *natural;
  const auto* whole = std::get_if<int64_t>(&value_);
  return whole != nullptr && *whole >= 0 ? std::optional(static_cast<uint64_t>(*whole))
                                         : std::nullopt;
}

std::optional<double> Json::real() const {
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&value_)) return static_cast<double>(*whole);
  if (auto number = natural()) return static_cast<double>(*number);
  return std::nullopt;
}

std::vector<std::string_view> Json::names() const {
  std::vector<std::string_view> names;
  if (const auto* members = std::get_if<Members>(&value_)) {
    for (const Member& one : *members) names.push_back(one.first);
  }
  return names;
}

void Json::push_back(Json element) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Elements();
  std::get<Elements>(value_).push_back(std::move(element));
}

const Json* Json::begin() const {
  return std::get<Elements>(value_).data();
}

const Json* Json::end() const {
  return begin() + std::get<Elements>(value_).size();
}

size_t Json::size() const {
  if (const auto* elements = std::get_if<Elements>(&value_)) return elements->size();
  if (const auto* members = std::get_if<Members>(&value_)) return members->size();
  return std::holds_alternative<std::monostate>(value_) ? 0 : 1;
}

void Json::write(std::string& to) const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    write_text(to, *text);
  } else if (const auto* natural = std::get_if<uint64_t>(&value_)) {
    write_number(to, *natural);
  } else if (const auto* whole = std::get_if<int64_t>(&value_)) {
    write_number(to, *whole);
  } else if (const auto* real = std::get_if<double>(&value_)) {
    write_real(to, *real);
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    to += *truth ? "true" : "false";
  } else if (const auto* elements = std::get_if<Elements>(&value_)) {
    to += '[';
    write_items(to, *elements, [&](const Json& one) { one.write(to); });
    to += ']';
  } else if (const auto* members = std::get_if<Members>(&value_)) {
    to += '{';
    write_items(to, *members, [&](const Member& one) {
      write_text(to, one.first);
      to += ':';
      one.second.write(to);
    });
    to += '}';
  } else {
    to += "null";
  }
}

std::string Json::line() const {
  std::string to;
  write(to);
  return to;
}

}  // namespace heapledger
