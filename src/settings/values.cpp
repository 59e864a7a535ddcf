#include "settings/values.h"

#include <cstring>

namespace heapledger::settings {
namespace {

struct Unit {
  const char* name;
  uint64_t factor;
};
constexpr Unit kSizes[] = {{"", 1},           {"K", 1ull << 10}, {"k", 1ull << 10},
                           {"M", 1ull << 20}, {"G", 1ull << 30}, {"T", 1ull << 40}};
constexpr Unit kDurations[] = {{"ns", 1},
                               {"us", 1'000},
                               {"ms", 1'000'000},
                               {"s", 1'000'000'000},
                               {"m", 60'000'000'000},
                               {"h", 3'600'000'000'000}};

// The digits at the start of `text`; returns what follows them, null when there are none or too
// many.
const char* read_digits(const char* text, uint64_t& value) {
  uint64_t result = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (__builtin_mul_overflow(result, uint64_t{10}, &result) ||
        __builtin_add_overflow(result, static_cast<uint64_t>(*at - '0'), &result)) {
      return nullptr;
    }
  }
  if (at == text) return nullptr;
  value = result;
  return at;
}

template <size_t kCount>
bool read_with_unit(const char* text, const Unit (&units)[kCount], uint64_t& value) {
  uint64_t number;
  const char* unit = read_digits(text, number);
  if (unit == nullptr) return false;
  for (const Unit& known : units) {
    if (strcmp(unit, known.name) != 0) continue;
    uint64_t result;
    if (__builtin_mul_overflow(number, known.factor, &result)) return false;
    value = result;
    return true;
  }
  return false;
}

}  // namespace

bool read_number(const char* text, uint64_t least, uint64_t most, uint64_t& value) {
  uint64_t number;
  const char* end = read_digits(text, number);
  if (end == nullptr || *end != '\0' || number < least || number > most) return false;
  value = number;
  return true;
}

bool read_size(const char* text, uint64_t& bytes) {
  return read_with_unit(text, kSizes, bytes);
}

bool read_duration(const char* text, uint64_t& ns) {
  uint64_t result;
  if (!read_with_unit(text, kDurations, result) || result == 0) return false;
  ns = result;
  return true;
}

bool read_switch(const char* text, bool& on) {
  bool is_on = strcmp(text, "on") == 0;
  if (!is_on && strcmp(text, "off") != 0) return false;
  on = is_on;
  return true;
}

bool read_hex(const char* text, uint64_t& value) {
  uint64_t result = 0;
  unsigned digits = 0;
  for (; *text != '\0'; ++text, ++digits) {
    if (*text >= '0' && *text <= '9') {
      result = result << 4 | static_cast<uint64_t>(*text - '0');
    } else if (*text >= 'a' && *text <= 'f') {
      result = result << 4 | static_cast<uint64_t>(*text - 'a' + 10);
    } else {
      return false;
    }
  }
  if (digits == 0 || digits > 16) return false;
  value = result;
  return true;
}

}  // namespace heapledger::settings
