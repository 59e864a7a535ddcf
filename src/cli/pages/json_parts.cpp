#include "cli/pages/json_parts.h"

#include "analyzer/own_threads.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/shared/unseen_calls.h"
#include "settings/settings.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

Json moment_json(uint64_t time_ns, uint64_t bytes, uint64_t blocks) {
  Json json;
  json["time_ns"] = time_ns;
  json["live_bytes"] = bytes;
  json["live_blocks"] = blocks;
  return json;
}

}  // namespace

Json totals_json(const Overview& overview) {
  const Totals& totals = overview.sums;
  Json json;
  json["calls"] = totals.calls;
  json["frees"] = totals.frees;
  json["resizes"] = totals.resizes;
  json["bytes"] = totals.bytes;
  const bool live = overview.is_live();  // one moment: nobody knows the peak
  json["peak_bytes"] = live ? Json(nullptr) : Json(totals.peak_bytes);
  json["peak_blocks"] = live ? Json(nullptr) : Json(totals.peak_blocks);
  json["peak_time_ns"] = live ? Json(nullptr) : Json(totals.peak_time_ns);
  json["end_bytes"] = totals.end_bytes;
  json["end_blocks"] = totals.end_blocks;
  json["temporary_calls"] = live ? Json(nullptr) : Json(totals.temporary_calls);
  json["rss_peak_bytes"] = totals.rss_peak_bytes;
  json["inherited_frees"] = totals.inherited_frees;
  json["unmatched_frees"] = totals.unmatched_frees;
  json["lost_frees"] = totals.lost_frees;
  json["missed"] = totals.missed;
  return json;
}

Json functions_json(const FunctionCounts& counts) {
  Json json;
  for (format::Function function : format::kListedFunctions) {
    auto number = static_cast<size_t>(function);
    bool always = number < format::kHeapFunctions && function != format::Function::kUsableSize;
    if (!always && counts[number] == 0) continue;
    json[format::name_of(function)] = counts[number];
  }
  return json;
}

Json ledger_json(const LedgerFacts& ledger, bool whole) {
  Json json;
  json["path"] = as_utf8(ledger.path);
  json["pid"] = ledger.pid;
  json["parent_pid"] = ledger.parent_pid;
  json["command"] = Json::array();
  for (const std::string& argument : ledger.command) json["command"].push_back(as_utf8(argument));
  json["executable"] = as_utf8(ledger.executable);
  json["rank"] = ledger.rank ? Json(*ledger.rank) : Json(nullptr);
  json["job"] = ledger.job.empty() ? Json(nullptr) : Json(as_utf8(ledger.job));
  json["mode"] = settings::mode_name(static_cast<settings::Mode>(ledger.mode));
  json["origin"] = ledger.origin == format::Origin::kForked ? "forked" : "started";
  json["complete"] = ledger.complete;
  json["stopped"] = ledger.stopped ? Json(*ledger.stopped) : Json(nullptr);
  json["unwatched"] = ledger.unwatched ? Json(*ledger.unwatched) : Json(nullptr);
  json["unseen"] = ledger.unseen ? Json(unseen_calls(ledger)) : Json(nullptr);
  json["missed"] = ledger.totals.missed;
  if (whole) json["gaps"] = ledger.gaps;
  if (whole) json["gap_ns"] = ledger.gap_ns;
  json["threads"] = own_threads(ledger);
  if (whole) {
    json["entries"] = ledger.entries;
    json["inherited_blocks"] = ledger.inherited_blocks;
    json["inherited_bytes"] = ledger.inherited_bytes;
  }
  json["problems"] = ledger.problems;
  json["unrecorded"] = unrecorded_json(ledger.unrecorded);
  return json;
}

Json moments_json(Ledgers& ledgers) {
  const Overview& overview = ledgers.overview();
  Json json;
  json["peak"] = nullptr;
  if (!overview.is_live()) {
    json["peak"] =
        moment_json(overview.peak_time_ns, overview.totals.peak_bytes, overview.totals.peak_blocks);
  }
  json["rss_peak"] = Json(nullptr);
  if (overview.rss_peak_bytes > 0 && !overview.is_live()) {
    json["rss_peak"] = moment_json(overview.rss_peak_time_ns, overview.live_bytes_at_rss_peak,
                                   overview.live_blocks_at_rss_peak);
  }
  json["end"] =
      moment_json(overview.duration_ns, overview.never_freed_bytes, overview.never_freed_blocks);
  json["markers"] = Json::array();
  for (const Marker& marker : overview.markers) {
    Json one;
    one["text"] = as_utf8(marker.text);
    one["time_ns"] = marker.time_ns;
    one["pid"] = ledgers.facts()[marker.ledger].pid;
    json["markers"].push_back(std::move(one));
  }
  return json;
}

Json question_json(const Asked& asked, size_t top) {
  const Question& question = asked.question;
  Json json;
  json["at"] = question.between ? Json(nullptr) : Json(as_utf8(to_text(question.at)));
  json["between"] = nullptr;
  if (question.between) {
    json["between"] = {as_utf8(to_text(question.between->first)),
                       as_utf8(to_text(question.between->second))};
  }
  bool grouped = asked.view == ReportView::kTable || asked.view == ReportView::kOverview;
  json["by"] = grouped ? Json(name_of(question.by)) : Json(nullptr);
  bool is_tree = question.tree != TreeShape::kNone;
  json["tree"] = is_tree ? Json(name_of(question.tree)) : Json(nullptr);
  json["function"] = text_or_null(question.function);
  json["below"] = text_or_null(question.below);
  json["filter"] = text_or_null(asked.filter_text);
  json["sort"] = name_of(question.sort);
  json["live"] = asked.question.only_live;
  json["top"] = top == SIZE_MAX ? Json(nullptr) : Json(top);
  return json;
}

Json suppressions_json(const NeverFreed& found) {
  Json json;
  json["live_bytes"] = found.suppressed.live_bytes;
  json["live_blocks"] = found.suppressed.live_blocks;
  json["used"] = Json::array();
  for (const SuppressionUse& use : found.uses) {
    Json one;
    one["pattern"] = as_utf8(use.pattern);
    one["built_in"] = use.built_in;
    one["sites"] = use.sites;
    one["live_bytes"] = use.bytes;
    one["live_blocks"] = use.blocks;
    json["used"].push_back(std::move(one));
  }
  return json;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(as_utf8(text));
}

}  // namespace heapledger::cli
