// What comes to the server of `heapledger view`. The first byte chooses: one from '0' to '?' is a
// path, and what follows the body of a request from somebody who has the token; anything else are
// the bytes of a connection. Whatever they are, they are answered or refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "example_ledger.h"
#include "server/access.h"
#include "server/api.h"
#include "server/request_reader.h"
#include "server/routes.h"

using namespace heapledger;

namespace {

server::Shown open_example() {
  std::vector<Ledgers::Opener> openers;
  openers.emplace_back([] { return in_memory("example", test::example_ledger()); });
  auto ledgers = std::make_shared<Ledgers>(std::move(openers), Options());
  ledgers->overview();
  server::Shown shown;
  shown.ledgers = ledgers.get();
  shown.holder = ledgers;
  shown.title = "example";
  return shown;
}

// With another one to compare it with.
server::Shown open_both() {
  server::Shown shown = open_example();
  shown.earlier = std::make_shared<server::Shown>(open_example());
  return shown;
}

// One for all inputs; the index is made when somebody waits for it to be read.
server::Api& example() {
  static std::promise<void> read;
  static server::Api api([](const server::Told&, const std::stop_token&) { return open_both(); },
                         [](std::exception_ptr) { read.set_value(); });
  static const bool is_read = [] {
    read.get_future().wait();
    return true;
  }();
  (void)is_read;
  return api;
}

void ask(size_t path, const std::string& body) {
  const auto routes = server::routes();
  const server::Reply reply = example().answer(
      path < routes.size() ? std::string(routes[path].path) : "/api/recording", body, {});
  // Answers and refusals are JSON, whatever was asked; and nothing is out of order but the
  // question.
  Json json;
  std::string why;
  if (!read_json(reply.body, json, why) || !json.is_object()) std::abort();
  if ((reply.status == 200) == json.contains("error")) std::abort();
}

void connect(std::string_view bytes) {
  const server::Access access(80, "secret");
  server::RequestReader reader({});
  // In pieces of all sizes; what is left when one is whole belongs to the next.
  for (size_t from = 0, piece = 1; from < bytes.size(); from += piece, piece = piece * 2 + 1) {
    bool more = reader.put(bytes.substr(from, piece));
    while (!more && reader.refusal() == 0) {
      const server::Request request = reader.take();
      // Nobody here knows the secret but by saying it.
      if (!access.refuse_question(request) && bytes.find("secret") == std::string_view::npos) {
        std::abort();
      }
      (void)access.refuse_file(request);
      more = reader.put({});
    }
    if (!more) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input[0] >= '0' && input[0] <= '?') {
    ask(static_cast<size_t>(input[0] - '0'), std::string(input.substr(1)));
  } else {
    connect(input.substr(1));
  }
  return 0;
}
