// What changes over time.
#include "analyzer/error.h"
#include "server/routes.h"

namespace heapledger::server {

Json answer_timeline(Asked&, const Json&) {
  throw Error("there is no timeline of a selection yet", ErrorKind::kQuestion);
}

}  // namespace heapledger::server
