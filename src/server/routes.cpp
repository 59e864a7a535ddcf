#include "server/routes.h"

#include <array>
#include <string>

#include "analyzer/error.h"

namespace heapledger::server {

std::span<const Route> routes() {
  static constexpr std::array<Route, 8> kRoutes = {{{"/api/ask", answer_ask},
                                                    {"/api/timeline", answer_timeline},
                                                    {"/api/frames", answer_frames},
                                                    {"/api/source", answer_source},
                                                    {"/api/compare", answer_compare},
                                                    {"/api/blocks", answer_blocks},
                                                    {"/api/where_rss", answer_where_rss},
                                                    {"/api/advice", answer_advice}}};
  return kRoutes;
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
