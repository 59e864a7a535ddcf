#include "server/findings.h"

#include <string>
#include <utility>

#include "text/text.h"

namespace heapledger::server {
namespace {

double share_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Its first row, if any, is who has most of the measure.
Json finding_json(const char* kind, std::string text, const Answer& answer, Measure measure) {
  Json json = {{"kind", kind}, {"text", std::move(text)}};
  if (answer.rows.empty() || answer.rows.front().is_rest) return json;
  const Row& most = answer.rows.front();
  json["function"] = as_utf8(most.function.empty() ? most.name : most.function);
  json["file"] = as_utf8(most.file);
  json["line"] = most.line;
  json["share"] = share_of(value_of(most.all, measure), value_of(answer.totals, measure));
  return json;
}

std::string never_freed_text(const NeverFreed& found) {
  const Figures& left = found.answer.totals;
  const std::string but = found.uses.empty() ? "" : " but for what is suppressed";
  if (left.live_blocks == 0) return "All was freed" + but;
  return human_bytes(left.live_bytes) + " never freed";
}

}  // namespace

std::optional<Found> find(Ledgers& ledgers) {
  const Overview& overview = ledgers.overview();
  if (overview.totals.calls == 0) return std::nullopt;
  Question question;
  question.by = GroupBy::kOwner;
  question.top = 1;
  Found found;
  found.at_peak = ledgers.ask(question);
  question.sort = Measure::kTemporaryCalls;
  found.temporary = ledgers.ask(question);
  question.sort = Measure::kLiveBytes;
  if (overview.rss_peak_bytes > 0 && !overview.is_live()) {
    question.at.kind = MomentSpec::Kind::kRssPeak;
    found.at_rss_peak = ledgers.ask(question);
  }
  question.at.kind = MomentSpec::Kind::kEnd;
  found.never_freed = ledgers.never_freed(Suppressions::built_in(), question);
  return found;
}

Json findings_json(const Found& found, const Overview& overview) {
  const Figures& totals = overview.totals;
  Json json = Json::array();
  if (overview.is_live()) {
    json.push_back(finding_json("peak", "Live: " + human_bytes(found.at_peak.totals.live_bytes),
                                found.at_peak, Measure::kLiveBytes));
    return json;
  }
  json.push_back(finding_json(
      "peak",
      "Peak " + human_bytes(totals.peak_bytes) + " at " + human_duration(overview.peak_time_ns),
      found.at_peak, Measure::kLiveBytes));
  json.push_back(finding_json("never_freed", never_freed_text(found.never_freed),
                              found.never_freed.answer, Measure::kLiveBytes));
  json.push_back(finding_json("temporary",
                              percent(totals.temporary_calls, totals.calls) + " of " +
                                  counted(totals.calls, "call") + " temporary",
                              found.temporary, Measure::kTemporaryCalls));
  if (overview.rss_peak_bytes > 0) {
    json.push_back(finding_json(
        "rss",
        "RSS peak " + human_bytes(overview.rss_peak_bytes) + ", " +
            percent(found.at_rss_peak.totals.live_bytes, overview.rss_peak_bytes) + " of it live",
        found.at_rss_peak, Measure::kLiveBytes));
  }
  return json;
}

}  // namespace heapledger::server
