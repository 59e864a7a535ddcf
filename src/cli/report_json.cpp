#include "cli/report_json.h"

#include <algorithm>
#include <string>

#include "cli/json_text.h"
#include "cli/text.h"

namespace heapledger {
namespace {

void put_measures(Json& json, const Measures& measures) {
  json["calls"] = measures.calls;
  json["frees"] = measures.frees;
  json["resizes"] = measures.resizes;
  json["bytes"] = measures.bytes;
  json["peak_bytes"] = measures.peak_bytes;
  json["peak_blocks"] = measures.peak_blocks;
  json["peak_time_ns"] = measures.peak_time_ns;
  json["end_bytes"] = measures.end_bytes;
  json["end_blocks"] = measures.end_blocks;
  json["temporary_calls"] = measures.temporary_calls;
}

Json totals_json(const Totals& totals) {
  Json json;
  put_measures(json, totals);
  json["rss_peak_bytes"] = totals.rss_peak_bytes;
  json["inherited_frees"] = totals.inherited_frees;
  json["unmatched_frees"] = totals.unmatched_frees;
  json["lost_frees"] = totals.lost_frees;
  json["missed"] = totals.missed;
  return json;
}

Json functions_json(const FunctionCounts& counts) {
  Json json;
  for (size_t i = 0; i < counts.size(); ++i) json[kFunctionNames[i]] = counts[i];
  return json;
}

Json ledger_json(const LedgerFacts& ledger) {
  Json json;
  json["path"] = as_utf8(ledger.path);
  json["pid"] = ledger.pid;
  json["parent_pid"] = ledger.parent_pid;
  json["command"] = Json::array();
  for (const std::string& argument : ledger.command) json["command"].push_back(as_utf8(argument));
  json["executable"] = as_utf8(ledger.executable);
  json["origin"] = ledger.origin == format::Origin::kForked ? "forked" : "started";
  json["complete"] = ledger.complete;
  json["stopped"] = ledger.stopped ? Json(*ledger.stopped) : Json(nullptr);
  json["missed"] = ledger.totals.missed;
  json["threads"] = ledger.threads.size();
  json["entries"] = ledger.entries;
  json["inherited_blocks"] = ledger.inherited_blocks;
  json["inherited_bytes"] = ledger.inherited_bytes;
  json["problems"] = ledger.problems;
  return json;
}

Json group_json(const Analysis& analysis, const Group& group) {
  Json json;
  json["frames"] = Json::array();
  for (const Frame& frame : analysis.frames(group)) {
    Json one;
    one["module"] = as_utf8(frame.module);
    one["offset"] = frame.offset;
    one["pc"] = frame.pc;
    one["name"] = as_utf8(frame.name);
    json["frames"].push_back(std::move(one));
  }
  put_measures(json, group);
  json["at_peak_bytes"] = group.at_peak_bytes;
  json["at_peak_blocks"] = group.at_peak_blocks;
  return json;
}

void write(std::FILE* to, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

// [ … ] with one element on each line.
template <typename Element>
void write_list(std::FILE* to, size_t count, Element&& element) {
  for (size_t i = 0; i < count; ++i) {
    write(to, (i == 0 ? "[\n" : ",\n") + json_line(element(i)));
  }
  write(to, count == 0 ? "[]" : "\n]");
}

}  // namespace

void write_report_json(std::FILE* to, const Analysis& analysis, size_t top) {
  write(to, "{\n\"schema\": \"heapledger.report/1\",\n");
  write(to, "\"totals\": " + json_line(totals_json(analysis.totals)) + ",\n");
  write(to, "\"by_function\": " + json_line(functions_json(analysis.by_function)) + ",\n");
  write(to, "\"ledgers\": ");
  write_list(to, analysis.ledgers.size(),
             [&](size_t i) { return ledger_json(analysis.ledgers[i]); });
  write(to, ",\n\"groups\": ");
  write_list(to, std::min(top, analysis.groups.size()),
             [&](size_t i) { return group_json(analysis, analysis.groups[i]); });
  write(to, "\n}\n");
}

}  // namespace heapledger
