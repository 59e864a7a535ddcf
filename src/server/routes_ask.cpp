// Questions and their answers.
#include <algorithm>
#include <string>

#include "analyzer/error.h"
#include "analyzer/query/question_json.h"
#include "server/columns.h"
#include "server/routes.h"

namespace heapledger::server {
namespace {

constexpr size_t kMostSites = 1'000;

}  // namespace

Json answer_ask(Asked& asked, const Json& body) {
  const Question question = question_of(body, kMostRows);
  const Answer answer = asked.ledgers.ask(question);
  ThreadNumber thread;
  if (question.by == GroupBy::kThread) {
    thread = [&asked](uint32_t ledger, uint64_t tid) { return asked.threads.of_tid(ledger, tid); };
  }
  Json json = Json::object();
  json["answer"] = answer_columns(answer, asked.files, thread);
  json["from"] = asked.has_read ? "pass" : "index";
  return json;
}

Json answer_frames(Asked& asked, const Json& body) {
  const Json& sites = member_of(body, "sites");
  if (!sites.is_array() || sites.size() > kMostSites) {
    throw Error("'sites' is not a list of at most 1,000 numbers", ErrorKind::kQuestion);
  }
  TextTable table(asked.files);
  Json stacks = Json::array();
  for (const Json& site : sites) {
    const auto number = site.natural();
    if (!number || *number >= asked.ledgers.sites().size()) {
      throw Error("there is no such site", ErrorKind::kQuestion);
    }
    stacks.push_back(frame_columns(asked.ledgers.frames(static_cast<uint32_t>(*number)), table));
  }
  Json json = Json::object();
  table.put_into(json);
  json["stacks"] = std::move(stacks);
  return json;
}

}  // namespace heapledger::server
