#include "server/recording.h"

#include <heapledger.h>

#include <algorithm>
#include <array>

#include "analyzer/query/answer_json.h"
#include "server/findings.h"
#include "settings/settings.h"
#include "text/text.h"

namespace heapledger::server {
namespace {

constexpr size_t kSeriesBuckets = 1024;

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(as_utf8(text));
  return json;
}

uint64_t start_of(const std::vector<LedgerFacts>& ledgers) {
  uint64_t start = UINT64_MAX;
  for (const LedgerFacts& ledger : ledgers) start = std::min(start, ledger.start_wall_ns);
  return ledgers.empty() ? 0 : start;
}

// The command that the others come from: of the process that began first.
const LedgerFacts& first_of(const std::vector<LedgerFacts>& ledgers) {
  return *std::min_element(
      ledgers.begin(), ledgers.end(),
      [](const LedgerFacts& a, const LedgerFacts& b) { return a.start_wall_ns < b.start_wall_ns; });
}

Json series_columns(const Series& whole) {
  constexpr std::array<std::pair<const char*, uint64_t SeriesBucket::*>, 9> kColumns = {
      {{"min_bytes", &SeriesBucket::min_bytes},
       {"max_bytes", &SeriesBucket::max_bytes},
       {"end_bytes", &SeriesBucket::end_bytes},
       {"min_blocks", &SeriesBucket::min_blocks},
       {"max_blocks", &SeriesBucket::max_blocks},
       {"end_blocks", &SeriesBucket::end_blocks},
       {"max_rss", &SeriesBucket::max_rss},
       {"calls", &SeriesBucket::calls},
       {"bytes", &SeriesBucket::bytes}}};
  const Series series = whole.with_at_most(kSeriesBuckets);
  Json json = Json::object();
  json["width_ns"] = series.width_ns;
  json["count"] = series.buckets.size();
  for (const auto& [name, member] : kColumns) {
    std::vector<Json> values;
    values.reserve(series.buckets.size());
    for (const SeriesBucket& bucket : series.buckets) values.emplace_back(bucket.*member);
    json[name] = std::move(values);
  }
  return json;
}

Json moments_json(const Overview& overview) {
  Json json = Json::object();
  json["peak"] = overview.is_live() ? Json(nullptr) : Json(overview.peak_time_ns);
  const bool has_rss = overview.rss_peak_bytes > 0 && !overview.is_live();
  json["rss_peak"] = has_rss ? Json(overview.rss_peak_time_ns) : Json(nullptr);
  json["end"] = overview.duration_ns;
  return json;
}

Json markers_json(const Overview& overview) {
  Json json = Json::array();
  for (const Marker& marker : overview.markers) {
    json.push_back(
        {{"text", as_utf8(marker.text)}, {"time_ns", marker.time_ns}, {"ledger", marker.ledger}});
  }
  return json;
}

// When it was not recorded.
Json gaps_json(const LedgerFacts& ledger, uint64_t begin) {
  Json json = Json::array();
  for (const Gap& gap : ledger.gap_times) json.push_back({begin + gap.begin, begin + gap.end});
  return json;
}

Json process_json(const LedgerFacts& ledger, uint64_t start) {
  const uint64_t begin = ledger.start_wall_ns - start;
  const size_t slash = ledger.executable.rfind('/');
  const std::string name = ledger.executable.substr(slash == std::string::npos ? 0 : slash + 1);
  return {{"title", as_utf8(name.empty() ? ledger.path : name)},
          {"path", as_utf8(ledger.path)},
          {"pid", ledger.pid},
          {"parent_pid", ledger.parent_pid},
          {"command", as_utf8(shell_words(ledger.command))},
          {"forked", ledger.origin == format::Origin::kForked},
          {"begin_ns", begin},
          {"end_ns", begin + ledger.duration_ns},
          {"calls", ledger.totals.calls},
          {"bytes", ledger.totals.bytes},
          {"peak_bytes", ledger.totals.peak_bytes},
          {"end_bytes", ledger.totals.end_bytes},
          {"complete", ledger.complete},
          {"gap_count", ledger.gaps},
          {"gap_ns", ledger.gap_ns},
          {"gaps", gaps_json(ledger, begin)}};
}

Json threads_json(const std::vector<LedgerFacts>& ledgers) {
  Json json = Json::array();
  for (size_t i = 0; i < ledgers.size(); ++i) {
    for (const ThreadFacts& thread : ledgers[i].threads) {
      json.push_back({{"ledger", i}, {"tid", thread.tid}, {"name", as_utf8(thread.name)}});
    }
  }
  return json;
}

const char* name_of(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kBytes:
      return "bytes";
    case FigureUnit::kCount:
      return "count";
    default:
      return "nanoseconds";
  }
}

Json catalog_json() {
  Json json = Json::array();
  for (const FigureRow& row : figure_catalog()) {
    json.push_back({{"word", row.word},
                    {"key", row.key},
                    {"title", row.title},
                    {"unit", name_of(row.unit)},
                    {"adds_up", adds_up(row.measure)},
                    {"help", row.help}});
  }
  return json;
}

Json groups_json() {
  Json json = Json::array();
  for (int i = static_cast<int>(GroupBy::kSite); i <= static_cast<int>(GroupBy::kHeap); ++i) {
    json.push_back(heapledger::name_of(static_cast<GroupBy>(i)));
  }
  return json;
}

Json heaps_json(Ledgers& ledgers) {
  const HeapCatalog& heaps = ledgers.heaps();
  Json json = Json::array();
  for (uint32_t i = 0; i < heaps.size(); ++i) {
    if (heaps.at(i).used || i == 0) {
      json.push_back({{"heap", i}, {"name", as_utf8(heaps.at(i).name)}});
    }
  }
  return json;
}

void put_never_freed(Json& json, const NeverFreed& found) {
  const Figures& left = found.answer.totals;
  json["never_freed"] = {{"bytes", left.live_bytes},
                         {"blocks", left.live_blocks},
                         {"suppressed_bytes", found.suppressed.live_bytes}};
}

}  // namespace

Json title_json(const Shown& shown) {
  const Overview& overview = shown.ledgers->overview();
  Json json = Json::object();
  json["title"] = as_utf8(shown.title);
  json["paths"] = texts_json(shown.paths);
  json["command"] = as_utf8(shell_words(first_of(overview.processes).command));
  json["start_wall_ns"] = start_of(overview.processes);
  json["duration_ns"] = overview.duration_ns;
  json["moments"] = moments_json(overview);
  json["markers"] = markers_json(overview);
  json["totals"] = Json::object();
  put_figures(json["totals"], overview.totals, false);
  json["rss_peak_bytes"] = overview.rss_peak_bytes;
  json["warnings"] = texts_json(shown.warnings);
  return json;
}

Json recording_json(const Shown& shown) {
  Ledgers& ledgers = *shown.ledgers;
  const Overview& overview = ledgers.overview();
  const LedgerFacts& first = first_of(overview.processes);
  Json json = title_json(shown);
  const uint64_t start = start_of(overview.processes);
  json["version"] = HEAPLEDGER_VERSION;
  json["host"] = as_utf8(first.host);
  json["sampled"] = std::any_of(overview.processes.begin(), overview.processes.end(),
                                [](const LedgerFacts& ledger) { return ledger.sampled; });
  json["live"] = overview.is_live();
  json["only_counts"] = overview.only_counts();
  json["mode"] = settings::mode_name(static_cast<settings::Mode>(first.mode));
  json["stored_sources"] = false;
  json.update(index_json(ledgers));
  json["series"] = series_columns(overview.series);
  const std::optional<Found> found = find(ledgers);
  put_never_freed(json, found ? found->never_freed : NeverFreed());
  json["findings"] = found ? findings_json(*found, overview) : Json::array();
  json["processes"] = Json::array();
  for (const LedgerFacts& ledger : overview.processes) {
    json["processes"].push_back(process_json(ledger, start));
  }
  json["threads"] = threads_json(overview.processes);
  json["heaps"] = heaps_json(ledgers);
  json["figures"] = catalog_json();
  json["groups"] = groups_json();
  json["sizes"] = to_json(overview.sizes);
  json["lifetimes"] = to_json(overview.lifetimes);
  json["common_sizes"] = to_json(overview.common_sizes);
  return json;
}

Json index_json(Ledgers& ledgers) {
  const Edges edges = ledgers.edges();
  Json json = Json::object();
  json["has_index"] = edges.count > 0;
  json["edges"] = {{"width_ns", edges.width_ns}, {"count", edges.count}};
  return json;
}

ThreadNumbers::ThreadNumbers(const std::vector<LedgerFacts>& ledgers) {
  uint32_t number = 0;
  for (uint32_t ledger = 0; ledger < ledgers.size(); ++ledger) {
    first_.push_back(number);
    for (const ThreadFacts& thread : ledgers[ledger].threads) {
      by_tid_.try_emplace({ledger, thread.tid}, number++);
    }
  }
  first_.push_back(number);
}

Json ThreadNumbers::of_place(uint32_t ledger, uint32_t place) const {
  if (ledger + 1 >= first_.size() || place >= first_[ledger + 1] - first_[ledger]) return nullptr;
  return first_[ledger] + place;
}

Json ThreadNumbers::of_tid(uint32_t ledger, uint64_t tid) const {
  const auto found = by_tid_.find({ledger, tid});
  return found == by_tid_.end() ? Json(nullptr) : Json(found->second);
}

}  // namespace heapledger::server
