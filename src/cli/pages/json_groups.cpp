// Groups, trees, blocks and histograms of a report's JSON.
#include "cli/pages/json_parts.h"
#include "cli/pages/sampling.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

void put_place(Json& json, const std::string& file, uint32_t line) {
  json["file"] = text_or_null(file);
  json["line"] = line > 0 ? Json(line) : Json(nullptr);
}

Json histogram_json(const Histogram& histogram) {
  Json json;
  json["smallest"] = histogram.smallest();
  json["median"] = histogram.median();
  json["mean"] = histogram.mean();
  json["largest"] = histogram.largest();
  json["by_power_of_two"] = histogram.by_power_of_two();
  return json;
}

Json common_sizes_json(const std::vector<CommonSize>& sizes) {
  Json json = Json::array();
  for (const CommonSize& common : sizes) {
    Json one;
    one["size"] = common.size;
    one["calls"] = common.calls;
    one["over"] = common.over;
    json.push_back(std::move(one));
  }
  return json;
}

Json one_frame(const NamedFrame& frame) {
  Json json;
  json["name"] = as_utf8(frame.name);
  json["function"] = text_or_null(frame.function);
  put_place(json, frame.file, frame.line);
  return json;
}

}  // namespace

Json frames_json(const std::vector<NamedFrame>& frames) {
  Json json = Json::array();
  Json inlined = Json::array();
  for (const NamedFrame& frame : frames) {
    if (frame.inlined) {
      inlined.push_back(one_frame(frame));
      continue;
    }
    Json one;
    one["module"] = as_utf8(frame.module);
    one["offset"] = frame.offset;
    one["pc"] = frame.pc;
    one.update(one_frame(frame));
    one["inlined"] = std::move(inlined);
    inlined = Json::array();
    json.push_back(std::move(one));
  }
  return json;
}

Json group_json(Ledgers& ledgers, const Group& group) {
  Json json;
  json["site"] = group.site;
  NamedFrame blamed = ledgers.first_interesting_frame(group.site);
  json["name"] = as_utf8(blamed.name);
  put_place(json, blamed.file, blamed.line);
  json["frames"] = frames_json(ledgers.frames(group.site));
  json["calls"] = group.calls;
  json["frees"] = group.frees;
  json["resizes"] = group.resizes;
  json["bytes"] = group.bytes;
  json["peak_bytes"] = group.peak_bytes;
  json["peak_blocks"] = group.peak_blocks;
  json["peak_time_ns"] = group.peak_time_ns;
  json["end_bytes"] = group.end_bytes;
  json["end_blocks"] = group.end_blocks;
  json["temporary_calls"] = group.temporary_calls;
  json["at_peak_bytes"] = group.at_peak_bytes;
  json["at_peak_blocks"] = group.at_peak_blocks;
  put_errors(json, group.estimates);
  return json;
}

Json never_freed_json(const Row& row) {
  Json json;
  json["site"] = row.site;
  json["name"] = as_utf8(row.name);
  put_place(json, row.file, row.line);
  json["live_bytes"] = row.all.live_bytes;
  json["live_blocks"] = row.all.live_blocks;
  if (row.all.live_error > 0) json["live_error"] = row.all.live_error;
  return json;
}

void put_figures(Json& json, const Figures& figures, bool live) {
  put_errors(json, figures);
  for (const FigureRow& row : figure_catalog()) {
    bool of_live = row.measure == Measure::kLiveBytes || row.measure == Measure::kLiveBlocks;
    if (row.key.empty() || (live && !of_live) || !is_known(figures, row.measure)) continue;
    json[std::string(row.key)] = value_of(figures, row.measure);
  }
  if (live) return;
  if (figures.has_lifetimes) json["lifetimes_ns"] = histogram_json(figures.lifetimes);
  if (figures.has_sizes) json["common_sizes"] = common_sizes_json(figures.common_sizes);
  if (figures.has_threads) {
    json["allocating_threads"] = figures.allocating_threads.size();
    json["freeing_threads"] = figures.freeing_threads.size();
  }
}

Json row_json(Ledgers& ledgers, const Asked& asked, const Row& row) {
  Json json;
  json["name"] = as_utf8(row.name);
  switch (asked.question.by) {
    case GroupBy::kSite:
      json["site"] = row.site;
      put_place(json, row.file, row.line);
      json["frames"] = frames_json(ledgers.frames(row.site));
      break;
    case GroupBy::kFunction:
    case GroupBy::kFile:
    case GroupBy::kLine:
    case GroupBy::kModule:
      put_place(json, row.file, row.line);
      json["module"] = as_utf8(row.module);
      break;
    case GroupBy::kThread:
      json["pid"] = ledgers.processes()[row.ledger].pid;
      json["tid"] = row.key;
      break;
    case GroupBy::kLedger:
      json["pid"] = row.key;
      break;
    default:
      json["from"] = row.key == UINT64_MAX ? Json(nullptr) : Json(row.key);
  }
  put_figures(json, row.all, asked.live);
  if (json.contains("module")) {
    Json self;
    put_figures(self, row.self, asked.live);
    json["self"] = std::move(self);
  }
  return json;
}

Json node_json(const TreeNode& node, bool live) {
  Json json;
  json["name"] = as_utf8(node.name);
  put_place(json, node.file, node.line);
  json["module"] = as_utf8(node.module);
  json["parent"] = node.parent;
  json["depth"] = node.depth;
  json["children"] = node.children;
  json["hidden"] = node.hidden;
  put_figures(json, node.all, live);
  Json self;
  put_figures(self, node.self, live);
  json["self"] = std::move(self);
  return json;
}

Json block_json(Ledgers& ledgers, const BlockFacts& block) {
  const LedgerFacts& ledger = ledgers.facts()[block.ledger];
  Json json;
  json["address"] = block.address;
  json["size"] = block.size;
  json["birth_ns"] = ledger.has_times ? Json(block.birth_ns) : Json(nullptr);
  json["age_ns"] = ledger.has_times ? Json(block.age_ns) : Json(nullptr);
  json["pid"] = ledger.pid;
  bool known = block.thread < ledger.threads.size();
  json["tid"] = known ? Json(ledger.threads[block.thread].tid) : Json(nullptr);
  json["thread"] = known ? Json(as_utf8(ledger.threads[block.thread].name)) : Json(nullptr);
  json["site"] = block.site;
  json["frames"] = frames_json(ledgers.frames(block.site));
  return json;
}

Json sizes_json(const Overview& overview) {
  Json json;
  json["requested"] = histogram_json(overview.sizes);
  json["common_sizes"] = common_sizes_json(overview.common_sizes);
  json["lifetimes_ns"] = histogram_json(overview.lifetimes);
  return json;
}

Json series_json(const Overview& overview) {
  constexpr size_t kPoints = 200;
  Series series = overview.series.with_at_most(kPoints);
  Json json;
  json["width_ns"] = series.width_ns;
  for (const char* name :
       {"min_bytes", "max_bytes", "end_bytes", "max_blocks", "calls", "max_rss"}) {
    json[name] = Json::array();
  }
  for (const SeriesBucket& bucket : series.buckets) {
    json["min_bytes"].push_back(bucket.min_bytes);
    json["max_bytes"].push_back(bucket.max_bytes);
    json["end_bytes"].push_back(bucket.end_bytes);
    json["max_blocks"].push_back(bucket.max_blocks);
    json["calls"].push_back(bucket.calls);
    json["max_rss"].push_back(bucket.max_rss);
  }
  return json;
}

}  // namespace heapledger::cli
