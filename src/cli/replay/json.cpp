#include "cli/replay/json.h"

#include "text/text.h"

namespace heapledger::cli::replay {
namespace {

Json ledger_json(const LedgerFacts& ledger, const schedule::Header& header) {
  Json command = Json::array();
  for (const std::string& word : ledger.command) command.push_back(as_utf8(word));
  return {{"path", as_utf8(ledger.path)},
          {"pid", ledger.pid},
          {"command", command},
          {"allocator", as_utf8(ledger.allocator)},
          {"duration_ns", header.duration_ns},
          {"peak_bytes", header.peak_bytes}};
}

Json played_json(const ReplayView& view) {
  return {{"operations", view.built.operations},
          {"calls", view.header.calls},
          {"threads", view.header.lanes},
          {"unknown_frees", view.built.unknown_frees},
          {"unknown_resizes", view.built.unknown_resizes},
          {"lost_frees", view.built.lost_frees}};
}

Json options_json(const ReplayOptions& options) {
  return {{"rounds", options.rounds ? Json(*options.rounds) : Json(nullptr)},
          {"speed", options.speed},
          {"touch", options.touch},
          {"threads", options.threads},
          {"order", options.order},
          {"latency", !options.no_latency}};
}

Json head(const char* schema, const ReplayView& view) {
  return {{"schema", schema},
          {"ledger", ledger_json(view.ledger, view.header)},
          {"played", played_json(view)},
          {"options", options_json(view.options)}};
}

Json measured_json(const Measured& figure) {
  return {{"median", figure.median},
          {"least", figure.least},
          {"most", figure.most},
          {"rounds", figure.rounds}};
}

Json ratio_json(const Ratio& ratio) {
  Json json = {{"ratio", nullptr}, {"low", nullptr}, {"high", nullptr}};
  if (!ratio.defined) return json;
  json["ratio"] = ratio.ratio;
  if (ratio.known) {
    json["low"] = ratio.low;
    json["high"] = ratio.high;
  }
  return json;
}

Json candidate_json(const Candidate& candidate) {
  Json environment = Json::object();
  for (const auto& [name, value] : candidate.environment) {
    environment[as_utf8(name)] = as_utf8(value);
  }
  return {{"name", as_utf8(candidate.name)},
          {"library", as_utf8(candidate.library)},
          {"environment", environment}};
}

Json rss_json(const std::vector<RssPoint>& points) {
  Json list = Json::array();
  for (const RssPoint& point : points) {
    list.push_back({{"calls", point.calls},
                    {"time_ns", point.time_ns},
                    {"live_bytes", point.live_bytes},
                    {"rss_bytes", point.rss_bytes > 0 ? Json(point.rss_bytes) : Json(nullptr)}});
  }
  return list;
}

Json system_calls_json(const CandidateFigures& one) {
  if (!one.system_calls) return nullptr;
  Json names = Json::object();
  for (const auto& [name, count] : one.system_calls->by_name) names[name] = count;
  return {{"all", one.system_calls->all}, {"by_name", names}};
}

Json or_null(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

// Those of one that failed are not there.
void add_figures(Json& json, const CandidateFigures& one, bool latencies) {
  json["time_ns"] = measured_json(one.time_ns);
  json["ns_per_call"] = measured_json(one.ns_per_call);
  json["time_ratio"] = ratio_json(one.time);
  json["calls_per_second"] = measured_json(one.calls_per_second);
  json["latency_ns"] = nullptr;
  if (latencies) {
    json["latency_ns"] = {{"p50", one.latency.p50},
                          {"p99", one.latency.p99},
                          {"p999", one.latency.p999},
                          {"worst", one.latency.worst}};
  }
  json["peak_rss_bytes"] = measured_json(one.peak_rss);
  json["peak_ratio"] = ratio_json(one.peak);
  json["end_rss_bytes"] = measured_json(one.end_rss);
  json["end_live_bytes"] = one.end_live_bytes;
  json["fragmentation_at_peak"] = or_null(one.fragmentation_at_peak);
  json["fragmentation_at_end"] = or_null(one.fragmentation_at_end);
  json["page_faults"] = measured_json(one.page_faults);
  json["system_calls"] = system_calls_json(one);
  json["why_not_counted"] = one.system_calls || one.why_not_counted.empty()
                                ? Json(nullptr)
                                : Json(as_utf8(one.why_not_counted));
  json["emulated"] = one.emulated;
  json["rss"] = rss_json(one.rss);
}

Json figures_json(const CandidateFigures& one, bool latencies) {
  Json json = candidate_json(one.candidate);
  json["baseline"] = one.is_baseline;
  json["failed"] = one.failed;
  json["failure"] = one.failed ? Json(as_utf8(one.failure)) : Json(nullptr);
  json["verdict"] = as_utf8(one.verdict);
  if (!one.failed) add_figures(json, one, latencies);
  return json;
}

Json settings_json(const std::vector<Setting>& settings) {
  Json list = Json::array();
  for (const Setting& one : settings) {
    list.push_back({{"variable", one.variable},
                    {"name", one.name},
                    {"value", one.value},
                    {"words", one.words}});
  }
  return list;
}

}  // namespace

Json comparison_json(const Comparison& comparison, const ReplayView& view) {
  Json json = head("heapledger.replay/1", view);
  json["verdict"] = as_utf8(comparison.verdict);
  json["rounds"] = comparison.rounds;
  json["own_ns_per_call"] = comparison.own_ns_per_call;
  json["clock_ns"] = comparison.clock_ns;
  json["clock_step_ns"] = comparison.clock_step_ns;
  json["processor_time"] = comparison.busy_is_cpu;
  json["candidates"] = Json::array();
  for (const CandidateFigures& one : comparison.candidates) {
    json["candidates"].push_back(figures_json(one, !view.options.no_latency));
  }
  return json;
}

Json check_json(const std::vector<CandidateFigures>& checked, const ReplayView& view) {
  Json json = head("heapledger.replay.check/1", view);
  json["candidates"] = Json::array();
  for (const CandidateFigures& one : checked) {
    Json row = candidate_json(one.candidate);
    row["failed"] = one.failed;
    row["failure"] = one.failed ? Json(as_utf8(one.failure)) : Json(nullptr);
    row["undecided"] = one.undecided;
    row["emulated"] = one.emulated;
    json["candidates"].push_back(row);
  }
  return json;
}

Json tuned_json(const std::vector<Tuned>& all, const ReplayView& view) {
  Json json = head("heapledger.replay.tune/1", view);
  json["tuned"] = Json::array();
  for (const Tuned& tuned : all) {
    Json tried = Json::array();
    for (size_t i = 0; i < tuned.tried.size(); ++i) {
      Json row = figures_json(tuned.tried[i], false);
      row["settings"] = settings_json(tuned.settings[i]);
      tried.push_back(row);
    }
    json["tuned"].push_back({{"allocator", as_utf8(tuned.allocator)},
                             {"verdict", as_utf8(tuned.verdict)},
                             {"best", tuned.best},
                             {"fastest", tuned.fastest},
                             {"smallest", tuned.smallest},
                             {"out_of_time", tuned.out_of_time},
                             {"tried", tried}});
  }
  return json;
}

}  // namespace heapledger::cli::replay
