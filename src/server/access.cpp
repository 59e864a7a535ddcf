#include "server/access.h"

#include <utility>

#include "server/token.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::server {
namespace {

constexpr std::string_view kBearer = "Bearer ";

bool is_from_us_or_nowhere(const Request& request) {
  const std::string* site = request.field("sec-fetch-site");
  return site == nullptr || *site == "same-origin" || *site == "none";
}

// A link, or the file that leads a browser here.
bool is_visit(const Request& request) {
  const std::string* mode = request.field("sec-fetch-mode");
  return request.path == "/" && mode != nullptr && *mode == "navigate";
}

}  // namespace

Reply refusal(unsigned status, const std::string& kind, const std::string& text) {
  Json error = Json::object();
  error["error"]["kind"] = kind;
  error["error"]["text"] = as_utf8(text);
  return {status, "application/json", json_line(error), nullptr};
}

Access::Access(uint16_t port, std::string token)
    : port_(":" + std::to_string(port)), token_(std::move(token)) {}

bool Access::is_ours(const std::string& host) const {
  return host == "127.0.0.1" + port_ || host == "localhost" + port_;
}

std::optional<Reply> Access::refuse_any(const Request& request) const {
  for (const char* name : {"host", "origin", "authorization", "sec-fetch-site"}) {
    if (request.asked_twice(name)) return refusal(400, "question", "a field that comes twice");
  }
  const std::string* host = request.field("host");
  if (host == nullptr || !is_ours(*host)) {
    return refusal(403, "question", "this is 127.0.0.1" + port_ + ", by no other name");
  }
  return std::nullopt;
}

std::optional<Reply> Access::refuse_file(const Request& request) const {
  if (auto refused = refuse_any(request)) return refused;
  if (request.method != "GET" && request.method != "HEAD") {
    return refusal(405, "question", "files are only read");
  }
  if (is_from_us_or_nowhere(request) || is_visit(request)) return std::nullopt;
  return refusal(403, "question", "this file is for our own page");
}

std::optional<Reply> Access::refuse_question(const Request& request) const {
  if (auto refused = refuse_any(request)) return refused;
  const std::string* origin = request.field("origin");
  const bool is_our_page =
      origin == nullptr || (origin->starts_with("http://") && is_ours(origin->substr(7)));
  if (!is_our_page || !is_from_us_or_nowhere(request)) {
    return refusal(403, "question", "questions come from our own page alone");
  }
  const std::string* given = request.field("authorization");
  if (given == nullptr || !given->starts_with(kBearer) ||
      !is_same_secret(std::string_view(*given).substr(kBearer.size()), token_)) {
    return refusal(401, "question", "the token is missing or is another one's");
  }
  if (request.method != "POST") return refusal(405, "question", "questions are sent with POST");
  return std::nullopt;
}

}  // namespace heapledger::server
