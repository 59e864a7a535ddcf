#include "cli/check/json.h"

#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::check {
namespace {

Json texts(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& text : list) json.push_back(as_utf8(text));
  return json;
}

Json culprit_json(const Culprit& culprit) {
  double share = culprit.whole == 0 ? 0.0
                                    : 100.0 * static_cast<double>(culprit.value) /
                                          static_cast<double>(culprit.whole);
  return {{"function", as_utf8(culprit.name)},
          {"file", as_utf8(culprit.file)},
          {"line", culprit.line},
          {"callers", texts(culprit.callers)},
          {"value", culprit.value},
          {"share_percent", share}};
}

Json verdict_json(const Verdict& verdict) {
  const Limit& limit = verdict.limit;
  Json json = {{"limit", name_of(limit.kind)},
               {"measure", verdict.measure},
               {"held", verdict.held},
               {"unit", verdict.is_bytes ? "bytes" : "calls"},
               {"value", verdict.value}};
  if (limit.is_percent) {
    std::optional<double> percent = verdict.percent();
    json["max_percent"] = limit.percent;
    json["percent"] = percent ? Json(*percent) : Json(nullptr);
    json[limit.kind == LimitKind::kGrowth ? "before" : "whole"] = verdict.of;
  } else {
    json["max"] = limit.value;
  }
  json["source"] = as_utf8(limit.source);
  Json culprits = Json::array();
  for (const Culprit& culprit : verdict.culprits) culprits.push_back(culprit_json(culprit));
  json["culprits"] = std::move(culprits);
  return json;
}

}  // namespace

std::string check_json(const GateResult& result, const Checked& checked) {
  Json limits = Json::array();
  for (const Verdict& verdict : result.verdicts) limits.push_back(verdict_json(verdict));
  Json suppressions = Json::array();
  for (const SuppressionUse& use : result.suppressions) {
    suppressions.push_back({{"pattern", as_utf8(use.pattern)},
                            {"built_in", use.built_in},
                            {"sites", use.sites},
                            {"blocks", use.blocks},
                            {"bytes", use.bytes}});
  }
  Json json = {{"schema", "heapledger.check/1"},
               {"holds", result.holds() && !checked.is_bad()},
               {"complete", checked.complete},
               {"ledgers", texts(checked.ledgers)},
               {"against", texts(checked.against)},
               {"limits", std::move(limits)},
               {"suppressions", std::move(suppressions)},
               {"problems", texts(checked.problems)}};
  return json_line(json) + "\n";
}

}  // namespace heapledger::cli::check
