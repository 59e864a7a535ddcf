#include "server/token.h"

#include <sys/random.h>

#include <array>
#include <cstdint>

#include "analyzer/error.h"

namespace heapledger::server {

std::string new_token() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error("the system has no random numbers for a token", ErrorKind::kSystem);
  }
  std::string token;
  for (const uint8_t byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

bool is_same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned different = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    different |= static_cast<unsigned>(static_cast<unsigned char>(one[i]) ^
                                       static_cast<unsigned char>(other[i]));
  }
  // So that no compiler ends the loop early.
  volatile unsigned result = different;
  return result == 0;
}

}  // namespace heapledger::server
