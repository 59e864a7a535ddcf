#include "server/message.h"

#include <algorithm>
#include <array>

namespace heapledger::server {
namespace {

constexpr std::array<std::pair<unsigned, std::string_view>, 13> kReasons = {
    {{200, "OK"},
     {202, "Accepted"},
     {400, "Bad Request"},
     {401, "Unauthorized"},
     {403, "Forbidden"},
     {404, "Not Found"},
     {405, "Method Not Allowed"},
     {408, "Request Timeout"},
     {409, "Conflict"},
     {413, "Content Too Large"},
     {431, "Request Header Fields Too Large"},
     {500, "Internal Server Error"},
     {503, "Service Unavailable"}}};

// Nothing from elsewhere, nothing kept, nothing guessed, and nobody's frame.
constexpr std::string_view kCareful =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cache-Control: no-store\r\n";

}  // namespace

const std::string* Request::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [name](const auto& field) { return field.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

bool Request::asked_twice(std::string_view name) const {
  return std::count_if(fields.begin(), fields.end(),
                       [name](const auto& field) { return field.first == name; }) > 1;
}

std::string_view reason_of(unsigned status) {
  for (const auto& [number, reason] : kReasons) {
    if (number == status) return reason;
  }
  return "Unknown";
}

std::string head_of(const Reply& reply, bool keep_alive) {
  std::string head =
      "HTTP/1.1 " + std::to_string(reply.status) + " " + std::string(reason_of(reply.status));
  head += "\r\nContent-Type: " + reply.type + "\r\n";
  head += kCareful;
  if (reply.stream) {
    head += "Transfer-Encoding: chunked\r\n";
  } else {
    head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
  }
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace heapledger::server
