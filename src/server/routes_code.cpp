// What the recorded program is made of.
#include "analyzer/error.h"
#include "server/routes.h"
#include "server/sources.h"
#include "text/text.h"

namespace heapledger::server {

Json answer_source(Asked& asked, const Json& body) {
  const auto number = member_of(body, "file").natural();
  const auto path = number ? asked.files.path_of(*number) : std::nullopt;
  if (!path) throw Error("no answer has named such a file", ErrorKind::kQuestion);
  const Source source = read_source(*path);
  Json json = Json::object();
  json["text"] = as_utf8(source.text);
  json["changed"] = source.changed_ns > asked.start_wall_ns;
  return json;
}

}  // namespace heapledger::server
