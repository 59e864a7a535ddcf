#include "base/units.h"

namespace heapledger::base {
namespace {

struct Unit {
  std::string_view name;  // in small letters
  uint64_t factor;
};

constexpr uint64_t kKilo = uint64_t{1} << 10;
constexpr uint64_t kMega = uint64_t{1} << 20;
constexpr uint64_t kGiga = uint64_t{1} << 30;
constexpr uint64_t kTera = uint64_t{1} << 40;
constexpr Unit kSizes[] = {
    {"", 1},       {"b", 1},       {"k", kKilo},  {"ki", kKilo},  {"kb", kKilo}, {"kib", kKilo},
    {"m", kMega},  {"mi", kMega},  {"mb", kMega}, {"mib", kMega}, {"g", kGiga},  {"gi", kGiga},
    {"gb", kGiga}, {"gib", kGiga}, {"t", kTera},  {"ti", kTera},  {"tb", kTera}, {"tib", kTera},
};
constexpr Unit kDurations[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xc2\xb5s", 1'000},  // the micro sign, …
    {"\xce\xbcs", 1'000},  // … and the letter mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"min", 60'000'000'000},
    {"h", 3'600'000'000'000},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_unit(std::string_view text, std::string_view name) {
  if (text.size() != name.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (small(text[i]) != name[i]) return false;
  }
  return true;
}

// whole + part / parts, exactly as it was written.
struct Number {
  uint64_t whole = 0;
  uint64_t part = 0;
  uint64_t parts = 1;
};

// Takes the digits at the start of `text` off it. False when there are none, or too many.
bool take_whole(std::string_view& text, uint64_t& value) {
  if (text.empty() || !is_digit(text.front())) return false;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    if (__builtin_mul_overflow(value, uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(text.front() - '0'), &value)) {
      return false;
    }
  }
  return true;
}

// The same for a point and digits, if they are there. Digits that are worth less than a billionth
// of a billionth are no part of any value.
bool take_part(std::string_view& text, Number& number) {
  constexpr uint64_t kMostParts = 1'000'000'000'000'000'000;
  if (text.empty() || text.front() != '.') return true;
  text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return false;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    if (number.parts == kMostParts) continue;
    number.part = number.part * 10 + static_cast<uint64_t>(text.front() - '0');
    number.parts *= 10;
  }
  return true;
}

bool multiply(const Number& number, uint64_t factor, uint64_t& value) {
  if (factor == 1 && number.parts > 1) return false;
  using Wide = unsigned __int128;
  const auto part = static_cast<uint64_t>(
      (static_cast<Wide>(number.part) * factor + number.parts / 2) / number.parts);
  uint64_t result;
  if (__builtin_mul_overflow(number.whole, factor, &result) ||
      __builtin_add_overflow(result, part, &result)) {
    return false;
  }
  value = result;
  return true;
}

template <size_t kCount>
bool read(std::string_view text, const Unit (&units)[kCount], uint64_t& value) {
  Number number;
  if (!take_whole(text, number.whole) || !take_part(text, number)) return false;
  while (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
  for (const Unit& unit : units) {
    if (is_unit(text, unit.name)) return multiply(number, unit.factor, value);
  }
  return false;
}

}  // namespace

bool read_size(std::string_view text, uint64_t& bytes) {
  return read(text, kSizes, bytes);
}

bool read_duration(std::string_view text, uint64_t& ns) {
  return read(text, kDurations, ns);
}

}  // namespace heapledger::base
