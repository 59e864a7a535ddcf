// Groups, trees, blocks and histograms of a report's JSON.
#include <fmt/format.h>

#include "analyzer/query/answer_json.h"
#include "analyzer/query/classes.h"
#include "cli/pages/json_parts.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

void put_place(Json& json, const std::string& file, uint32_t line) {
  json["file"] = text_or_null(file);
  json["line"] = line > 0 ? Json(line) : Json(nullptr);
}

Json one_frame(const NamedFrame& frame) {
  Json json;
  json["name"] = as_utf8(frame.name);
  json["function"] = text_or_null(frame.function);
  put_place(json, frame.file, frame.line);
  return json;
}

using FramePlace = std::vector<NamedFrame>::const_iterator;

// A call, and what is inlined into it, from `first` on.
Json call_json(FramePlace first, FramePlace call) {
  Json json;
  json["module"] = as_utf8(call->module);
  json["offset"] = call->offset;
  json["pc"] = call->pc;
  json.update(one_frame(*call));
  json["inlined"] = Json::array();
  for (; first != call; ++first) json["inlined"].push_back(one_frame(*first));
  return json;
}

}  // namespace

Json frames_json(const std::vector<NamedFrame>& frames) {
  Json json = Json::array();
  auto begin = frames.begin();
  for (auto at = begin; at != frames.end(); ++at) {
    if (at->inlined) continue;
    json.push_back(call_json(begin, at));
    begin = at + 1;
  }
  return json;
}

Json FrameTable::stack(const std::vector<NamedFrame>& frames) {
  Json json = Json::array();
  auto begin = frames.begin();
  std::string key;
  for (auto at = begin; at != frames.end(); ++at) {
    // What is inlined comes before the call that it is in.
    key += fmt::format("{}\n{}\n{}\n{}\n{}\n", at->module, at->pc, at->offset, at->name, at->line);
    if (at->inlined) continue;
    const auto [place, is_new] = places_.try_emplace(std::move(key), frames_.size());
    if (is_new) frames_.push_back(call_json(begin, at));
    json.push_back(place->second);
    key.clear();
    begin = at + 1;
  }
  return json;
}

Json group_json(Ledgers& ledgers, const Row& at_peak, const Figures& at_end, FrameTable& table) {
  const Figures& figures = at_peak.all;
  Json json;
  json["site"] = at_peak.site;
  json["name"] = as_utf8(at_peak.name);
  put_place(json, at_peak.file, at_peak.line);
  json["stack"] = table.stack(ledgers.frames(at_peak.site));
  json["calls"] = figures.calls;
  json["frees"] = figures.frees;
  json["resizes"] = figures.resizes;
  json["bytes"] = figures.bytes;
  json["peak_bytes"] = figures.peak_bytes;
  json["peak_blocks"] = figures.peak_blocks;
  json["peak_time_ns"] = figures.peak_time_ns;
  json["end_bytes"] = at_end.live_bytes;
  json["end_blocks"] = at_end.live_blocks;
  json["temporary_calls"] = figures.temporary_calls;
  json["at_peak_bytes"] = figures.live_bytes;
  json["at_peak_blocks"] = figures.live_blocks;
  put_errors(json, figures);
  if (figures.has_time) json["time_ns"] = figures.time_ns;
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

Json row_json(Ledgers& ledgers, const Question& question, const Row& row, FrameTable* table) {
  Json json;
  json["name"] = as_utf8(row.name);
  bool overlaps = false;
  switch (question.by) {
    case GroupBy::kSite:
      json["site"] = row.site;
      put_place(json, row.file, row.line);
      if (table != nullptr) {
        json["stack"] = table->stack(ledgers.frames(row.site));
      } else {
        json["frames"] = frames_json(ledgers.frames(row.site));
      }
      break;
    case GroupBy::kFunction:
    case GroupBy::kFile:
    case GroupBy::kLine:
    case GroupBy::kModule:
      overlaps = true;
      put_place(json, row.file, row.line);
      json["module"] = as_utf8(row.module);
      break;
    case GroupBy::kOwner:
      json["function"] = as_utf8(row.function);
      put_place(json, row.file, row.line);
      json["module"] = as_utf8(row.module);
      json["stacks"] = row.stacks;
      break;
    case GroupBy::kPart:
      put_place(json, row.file, row.line);
      json["module"] = as_utf8(row.module);
      json["stacks"] = row.stacks;
      put_part(json, row);
      break;
    case GroupBy::kThread:
      json["pid"] = ledgers.processes()[row.ledger].pid;
      json["tid"] = row.key;
      break;
    case GroupBy::kLedger:
      json["pid"] = row.key;
      break;
    case GroupBy::kRank:
      json["rank"] = row.key == kNoRank ? Json(nullptr) : Json(row.key);
      break;
    case GroupBy::kHost:
    case GroupBy::kJob:
      break;
    case GroupBy::kSizeClass:
    case GroupBy::kLifetimeClass: {
      const bool never = row.key == kNeverFreed;
      const uint64_t below = never ? kNoUpperBound : bounds_of_key(question.by, row.key).below;
      json["from"] = never ? Json(nullptr) : Json(row.key);
      json["below"] = below == kNoUpperBound ? Json(nullptr) : Json(below);
      break;
    }
    default:
      json["from"] = row.key == UINT64_MAX ? Json(nullptr) : Json(row.key);
  }
  put_figures(json, row.all, question.only_live);
  if (overlaps) put_figures(json["self"], row.self, question.only_live);
  return json;
}

Json node_json(const TreeNode& node, bool only_live) {
  Json json = to_json(node, only_live);
  put_place(json, node.file, node.line);
  json["module"] = as_utf8(node.module);
  return json;
}

Json block_json(Ledgers& ledgers, const BlockFacts& block, FrameTable& table) {
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
  json["stack"] = table.stack(ledgers.frames(block.site));
  return json;
}

Json sizes_json(const Overview& overview) {
  Json json;
  json["requested"] = to_json(overview.sizes);
  json["common_sizes"] = to_json(overview.common_sizes);
  json["lifetimes_ns"] = to_json(overview.lifetimes);
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
