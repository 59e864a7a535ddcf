// What changes over time.
#include <array>
#include <utility>

#include "analyzer/query/question_json.h"
#include "server/routes.h"

namespace heapledger::server {

Json answer_timeline(Asked& asked, const Json& body) {
  const Question question = question_from_json(member_of(body, "question"));
  const Timeline timeline = asked.ledgers.timeline(question);
  const std::array<std::pair<const char*, const std::vector<uint64_t>*>, 6> columns = {
      {{"live_bytes", &timeline.live_bytes},
       {"live_blocks", &timeline.live_blocks},
       {"calls", &timeline.calls},
       {"bytes", &timeline.bytes},
       {"ended_blocks", &timeline.ended_blocks},
       {"ended_bytes", &timeline.ended_bytes}}};
  Json json = {{"width_ns", timeline.edges.width_ns}, {"count", timeline.edges.count}};
  for (const auto& [name, values] : columns) json[name] = *values;
  Json answer = Json::object();
  answer["timeline"] = std::move(json);
  answer["from"] = asked.has_read ? "pass" : "index";
  return answer;
}

}  // namespace heapledger::server
