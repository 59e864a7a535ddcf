#include "analyzer/query/where_rss_json.h"

#include "text/text.h"

namespace heapledger {
namespace {

Json rss_text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(as_utf8(text));
}

}  // namespace

Json rss_owner_json(const RssLine& line) {
  Json json;
  json["name"] = as_utf8(line.owner.name);
  json["file"] = rss_text_or_null(line.owner.file);
  json["line"] = line.owner.line;
  json["bytes"] = line.owner_bytes;
  return json;
}

Json to_json(const WhereRss& where) {
  Json json;
  json["time_ns"] = where.time_ns;
  json["live_bytes"] = where.live_bytes;
  json["live_blocks"] = where.live_blocks;
  json["rounding_bytes"] = where.glibc_model ? Json(where.rounding_bytes) : Json(nullptr);
  json["page_bytes"] = where.page_bytes;
  json["touched_pages"] = where.touched_pages;
  json["touched_bytes"] = where.touched_bytes;
  json["fragmentation_bytes"] = where.fragmentation_bytes;
  json["rss_bytes"] = where.has_rss ? Json(where.rss_bytes) : Json(nullptr);
  json["sample_time_ns"] = where.has_rss ? Json(where.sample_time_ns) : Json(nullptr);
  json["file_rss_bytes"] = where.has_file_rss ? Json(where.file_rss_bytes) : Json(nullptr);
  json["unexplained_bytes"] = where.has_rss ? Json(where.unexplained_bytes) : Json(nullptr);
  json["other_malloc"] = rss_text_or_null(where.other_malloc);
  json["highest_rss_bytes"] = where.has_rss ? Json(where.sample_most_bytes) : Json(nullptr);
  json["mappings_time_ns"] = where.has_look ? Json(where.look_time_ns) : Json(nullptr);
  json["swapped_bytes"] = where.has_look ? Json(where.swapped_bytes) : Json(nullptr);
  json["parts"] = Json::array();
  for (const RssLine& line : where.parts) {
    Json part;
    part["part"] = name_of(line.part);
    part["bytes"] = line.bytes;
    part["owner"] = line.owner_bytes == 0 ? Json(nullptr) : rss_owner_json(line);
    json["parts"].push_back(std::move(part));
  }
  return json;
}

}  // namespace heapledger
