#include "settings/values.h"

#include <cstring>

#include "base/units.h"

namespace heapledger::settings {
namespace {

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

}  // namespace

bool read_number(const char* text, uint64_t least, uint64_t most, uint64_t& value) {
  uint64_t number;
  const char* end = read_digits(text, number);
  if (end == nullptr || *end != '\0' || number < least || number > most) return false;
  value = number;
  return true;
}

bool read_size(const char* text, uint64_t& bytes) {
  return base::read_size(text, bytes);
}

bool read_duration(const char* text, uint64_t& ns) {
  uint64_t result;
  if (!base::read_duration(text, result) || result == 0) return false;
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
