#include "server/routes.h"

#include <algorithm>
#include <array>
#include <string>

#include "analyzer/error.h"
#include "analyzer/query/question_json.h"

namespace heapledger::server {

std::span<const Route> routes() {
  static constexpr std::array<Route, 12> kRoutes = {{{"/api/ask", answer_ask},
                                                     {"/api/timeline", answer_timeline},
                                                     {"/api/frames", answer_frames},
                                                     {"/api/source", answer_source},
                                                     {"/api/compare", answer_compare},
                                                     {"/api/blocks", answer_blocks},
                                                     {"/api/where_rss", answer_where_rss},
                                                     {"/api/advice", answer_advice},
                                                     {"/api/cohorts", answer_cohorts},
                                                     {"/api/cohort", answer_cohort},
                                                     {"/api/map", answer_map},
                                                     {"/api/block_life", answer_block_life}}};
  return kRoutes;
}

Question question_of(const Json& body, size_t most_rows) {
  constexpr size_t kMostNodes = 20'000;
  Question question = question_from_json(member_of(body, "question"));
  question.top = std::min(question.top, most_rows);
  question.most_nodes = std::min(question.most_nodes, kMostNodes);
  return question;
}

const Json& member_of(const Json& body, std::string_view name) {
  const Json* found = body.find(name);
  if (found == nullptr) {
    throw Error("what is asked has no '" + std::string(name) + "'", ErrorKind::kQuestion);
  }
  return *found;
}

MomentSpec moment_of(const Json& body, std::string_view name) {
  const Json& member = member_of(body, name);
  if (member.text() == nullptr) {
    throw Error("'" + std::string(name) + "' is not a moment", ErrorKind::kQuestion);
  }
  return parse_moment(*member.text());
}

}  // namespace heapledger::server
