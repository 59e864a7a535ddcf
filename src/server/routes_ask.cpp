// Questions and their answers.
#include <algorithm>
#include <string>

#include "analyzer/error.h"
#include "analyzer/query/question_json.h"
#include "server/columns.h"
#include "server/routes.h"

namespace heapledger::server {
namespace {

// Of what a page can show; a question that wants more is one of a script.
constexpr size_t kMostRows = 5'000;
constexpr size_t kMostNodes = 20'000;
constexpr size_t kMostBlocks = 1'000;
constexpr size_t kMostSites = 1'000;

Question question_of(const Json& body, size_t most_rows) {
  Question question = question_from_json(member_of(body, "question"));
  question.top = std::min(question.top, most_rows);
  question.most_nodes = std::min(question.most_nodes, kMostNodes);
  return question;
}

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

Json answer_blocks(Asked& asked, const Json& body) {
  const BlockList list = asked.ledgers.blocks(question_of(body, kMostBlocks));
  const std::vector<BlockFacts>& blocks = list.blocks;
  Json json = {{"time_ns", list.time_ns},
               {"live_bytes", list.live_bytes},
               {"live_blocks", list.live_blocks}};
  Json columns = {{"count", blocks.size()}};
  put_column_of(columns, "address", blocks, [](const BlockFacts& block) { return block.address; });
  put_column_of(columns, "size", blocks, [](const BlockFacts& block) { return block.size; });
  put_column_of(columns, "birth_ns", blocks,
                [](const BlockFacts& block) { return block.birth_ns; });
  put_column_of(columns, "age_ns", blocks, [](const BlockFacts& block) { return block.age_ns; });
  put_column_of(columns, "ledger", blocks, [](const BlockFacts& block) { return block.ledger; });
  put_column_of(columns, "thread", blocks, [&asked](const BlockFacts& block) {
    return asked.threads.of_place(block.ledger, block.thread);
  });
  put_column_of(columns, "site", blocks, [](const BlockFacts& block) { return block.site; });
  json["blocks"] = std::move(columns);
  return json;
}

}  // namespace heapledger::server
