#include "player/numbers.h"

#include <string.h>

#include "player/kernel.h"

namespace heapledger::player {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// The number that begins at or after `at`; moves behind it.
bool next_number(const char*& at, uint64_t& number) {
  while (*at != '\0' && !is_digit(*at)) ++at;
  if (*at == '\0') return false;
  for (number = 0; is_digit(*at); ++at) number = number * 10 + static_cast<uint64_t>(*at - '0');
  return true;
}

}  // namespace

bool read_numbers(int fd, std::span<uint64_t> into) {
  char text[256];
  const long got = kernel::pread(fd, text, sizeof text - 1, 0);
  if (got <= 0) return false;
  text[got] = '\0';
  const char* at = text;
  for (uint64_t& number : into) {
    if (!next_number(at, number)) return false;
  }
  return true;
}

uint64_t number_after(int fd, const char* label) {
  char text[8192];
  const long got = kernel::pread(fd, text, sizeof text - 1, 0);
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* at = strstr(text, label);
  uint64_t number = 0;
  if (at != nullptr) next_number(at, number);
  return number;
}

}  // namespace heapledger::player
