#include "cli/top/json.h"

#include <algorithm>

#include "cli/pages/json_parts.h"
#include "text/text.h"

namespace heapledger::cli::top {
namespace {

Json change_json(const TopReading& reading, const cores::Change& change) {
  bool before = reading.interval_ns > 0;
  auto rate = [&](uint64_t amount) {
    return cores::per_second(static_cast<double>(amount), reading.interval_ns);
  };
  Json json;
  json["live_bytes"] = change.live_bytes;
  json["live_blocks"] = change.live_blocks;
  json["growth_bytes"] = before ? Json(change.growth) : Json();
  json["growth_since_first_bytes"] = before ? Json(change.growth_since_first) : Json();
  json["calls"] = reading.has_rates ? Json(change.calls) : Json();
  json["bytes"] = reading.has_rates ? Json(change.bytes) : Json();
  json["calls_per_second"] = reading.has_rates ? Json(rate(change.calls)) : Json();
  json["bytes_per_second"] = reading.has_rates ? Json(rate(change.bytes)) : Json();
  json["history"] = change.history;
  return json;
}

Json row_json(const TopReading& reading, const TopRow& row) {
  Json json;
  json["name"] = as_utf8(row.name);
  json["file"] = row.file.empty() ? Json() : Json(as_utf8(row.file));
  json["line"] = row.line == 0 ? Json() : Json(row.line);
  json["sites"] = row.sites;
  json.update(change_json(reading, row.change));
  std::vector<NamedFrame> frames;
  for (const NamedFrame* frame : row.stack->frames) frames.push_back(*frame);
  json["frames"] = frames_json(frames);
  return json;
}

}  // namespace

Json top_json(const TopReading& reading, const std::vector<TopRow>& rows, const TopChoice& choice,
              size_t most) {
  Json json;
  json["schema"] = "heapledger.top/1";
  json["pid"] = reading.pid;
  json["program"] = as_utf8(reading.program);
  json["ended"] = !reading.ended.empty();
  json["elapsed_ns"] = reading.elapsed_ns;
  json["interval_ns"] = reading.interval_ns;
  json["since_first_ns"] = reading.since_first_ns;
  json["reading_ns"] = reading.took_ns;
  json["threads"] = reading.threads;
  json["rss_bytes"] = reading.rss_bytes == 0 ? Json() : Json(reading.rss_bytes);
  json["estimated"] = reading.estimated;
  json["problem"] = reading.problem.empty() ? Json() : Json(as_utf8(reading.problem));
  json["total"] = change_json(reading, reading.total);
  json["by"] = name_of(choice.by);
  json["sort"] = row_of(choice.sort).word;
  json["filter"] = choice.filter.empty() ? Json() : Json(as_utf8(choice.filter));
  json["groups"] = rows.size();
  Json list = Json::array();
  for (size_t i = 0; i < std::min(rows.size(), most); ++i) {
    list.push_back(row_json(reading, rows[i]));
  }
  json["rows"] = std::move(list);
  return json;
}

}  // namespace heapledger::cli::top
