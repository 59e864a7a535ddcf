// The one file that includes Boost.Beast: of it only what understands requests.
#include "server/request_reader.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>

namespace heapledger::server {

namespace http = boost::beast::http;

struct RequestReader::Parts {
  explicit Parts(RequestLimits its_limits) : limits(its_limits) { begin(); }

  void begin() {
    parser.emplace();
    parser->header_limit(limits.head_bytes);
    parser->body_limit(limits.body_bytes);
    parser->eager(true);
    refusal = 0;
  }

  // As much of what waits as can be understood now.
  void read_waiting() {
    while (!waiting.empty() && !parser->is_done() && refusal == 0) {
      boost::beast::error_code error;
      const size_t used =
          parser->put(boost::asio::const_buffer(waiting.data(), waiting.size()), error);
      waiting.erase(0, used);
      if (error == http::error::need_more) return;
      if (error) refusal = status_of(error);
      if (used == 0) return;
    }
  }

  static unsigned status_of(const boost::beast::error_code& error) {
    if (error == http::error::header_limit) return 431;
    return error == http::error::body_limit ? 413 : 400;
  }

  RequestLimits limits;
  std::optional<http::request_parser<http::string_body>> parser;
  std::string waiting;
  unsigned refusal = 0;
};

RequestReader::RequestReader(RequestLimits limits) : parts_(std::make_unique<Parts>(limits)) {}
RequestReader::~RequestReader() = default;

bool RequestReader::put(std::string_view bytes) {
  parts_->waiting += bytes;
  parts_->read_waiting();
  return !parts_->parser->is_done() && parts_->refusal == 0;
}

bool RequestReader::has_begun() const {
  return parts_->parser->got_some() || !parts_->waiting.empty();
}

unsigned RequestReader::refusal() const {
  return parts_->refusal;
}

Request RequestReader::take() {
  auto message = parts_->parser->release();
  Request request;
  request.method = std::string(message.method_string());
  const std::string target(message.target());
  request.path = target.substr(0, target.find('?'));
  request.keep_alive = message.keep_alive();
  for (const auto& field : message) {
    std::string name(field.name_string());
    for (char& letter : name) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    request.fields.emplace_back(std::move(name), std::string(field.value()));
  }
  request.body = std::move(message.body());
  parts_->begin();
  return request;
}

}  // namespace heapledger::server
