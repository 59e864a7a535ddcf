#include "server/server.h"

#include <optional>
#include <utility>

#include "server/token.h"
#include "viewer/assets.h"

namespace heapledger::server {
namespace {

Reply file_reply(const std::string& path) {
  for (const viewer::Asset& asset : viewer::assets()) {
    if (asset.path == path) {
      return {200, std::string(asset.type), std::string(asset.bytes), nullptr};
    }
  }
  return refusal(404, "question", "there is no such file");
}

}  // namespace

Server::Server(Opener opener, const ServerOptions& options)
    : token_(new_token()),
      socket_(options.port),
      access_(socket_.port(), token_),
      api_(std::move(opener), options.read, options.set_marker),
      http_(socket_, options.limits, [this](const Request& request, const std::stop_token& gone) {
        return reply(request, gone);
      }) {}

std::string Server::url() const {
  return "http://127.0.0.1:" + std::to_string(port()) + "/#" + token_;
}

Reply Server::reply(const Request& request, const std::stop_token& gone) {
  const bool is_question = request.path.starts_with("/api/");
  if (auto refused =
          is_question ? access_.refuse_question(request) : access_.refuse_file(request)) {
    return *refused;
  }
  return is_question ? api_.answer(request.path, request.body, gone) : file_reply(request.path);
}

}  // namespace heapledger::server
