// Where the resident memory goes, as JSON: what `report --where-rss --json` prints.
#pragma once

#include "analyzer/query/where_rss.h"
#include "text/json_text.h"

namespace heapledger {

Json to_json(const WhereRss& where);
// Who owns most of a part.
Json rss_owner_json(const RssLine& line);

}  // namespace heapledger
