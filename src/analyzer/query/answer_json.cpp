#include "analyzer/query/answer_json.h"

#include <array>
#include <utility>

#include "analyzer/error.h"
#include "text/text.h"

namespace heapledger {
namespace {

// --- writing ---

void put_text(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = as_utf8(text);
}

template <typename Number>
void put_number(Json& json, const char* name, Number number) {
  if (number != 0) json[name] = number;
}

std::string error_key(const FigureRow& row) {
  return std::string(row.word) + "_error";
}

using Threads = std::vector<std::pair<uint32_t, uint32_t>>;

Json threads_json(const Threads& threads) {
  Json json = Json::array();
  for (const auto& [ledger, place] : threads) json.push_back(Json::array({ledger, place}));
  return json;
}

Json figures_json(const Figures& figures, bool only_live) {
  Json json;
  put_figures(json, figures, only_live);
  return json;
}

// --- reading ---

[[noreturn]] void refuse_answer(std::string_view name) {
  throw Error("the answer has no '" + std::string(name) + "' that can be read", ErrorKind::kData);
}

const Json& in(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found == nullptr) refuse_answer(name);
  return *found;
}

const Json& list_in(const Json& json, std::string_view name) {
  const Json& list = in(json, name);
  if (!list.is_array()) refuse_answer(name);
  return list;
}

uint64_t natural_of(const Json& json, std::string_view name) {
  if (!json.natural()) refuse_answer(name);
  return *json.natural();
}

template <typename Number>
void get_number(const Json& json, std::string_view name, Number& to) {
  if (const Json* found = json.find(name)) to = static_cast<Number>(natural_of(*found, name));
}

const std::string& text_of(const Json& json, std::string_view name) {
  if (json.text() == nullptr) refuse_answer(name);
  return *json.text();
}

void get_text(const Json& json, std::string_view name, std::string& to) {
  if (const Json* found = json.find(name)) to = text_of(*found, name);
}

Histogram histogram_from(const Json& json) {
  uint64_t counts[Histogram::kBuckets] = {};
  for (const Json& bucket : list_in(json, "buckets")) {
    if (!bucket.is_array() || bucket.size() != 2) refuse_answer("buckets");
    uint64_t number = natural_of(bucket.begin()[0], "buckets");
    if (number >= Histogram::kBuckets) refuse_answer("buckets");
    counts[number] = natural_of(bucket.begin()[1], "buckets");
  }
  return Histogram::from_counts(counts, natural_of(in(json, "sum"), "sum"),
                                natural_of(in(json, "smallest"), "smallest"),
                                natural_of(in(json, "largest"), "largest"));
}

Threads threads_from(const Json& json, std::string_view name) {
  Threads threads;
  for (const Json& one : list_in(json, name)) {
    if (!one.is_array() || one.size() != 2) refuse_answer(name);
    threads.emplace_back(static_cast<uint32_t>(natural_of(one.begin()[0], name)),
                         static_cast<uint32_t>(natural_of(one.begin()[1], name)));
  }
  return threads;
}

Figures figures_from(const Json& json) {
  Figures figures;
  for (const FigureRow& row : figure_catalog()) {
    if (!row.key.empty()) get_number(json, row.key, figures.*row.member);
    if (row.error == nullptr) continue;
    if (const Json* error = json.find(error_key(row)); error != nullptr && error->real()) {
      figures.*row.error = *error->real();
    }
  }
  figures.has_peak = json.contains(row_of(Measure::kPeakBytes).key);
  figures.has_time = json.contains(row_of(Measure::kTime).key);
  if (const Json* lifetimes = json.find("lifetimes_ns")) {
    figures.has_lifetimes = true;
    figures.lifetimes = histogram_from(*lifetimes);
  }
  if (json.contains("common_sizes")) {
    figures.has_sizes = true;
    for (const Json& one : list_in(json, "common_sizes")) {
      CommonSize& size = figures.common_sizes.emplace_back();
      get_number(one, "size", size.size);
      get_number(one, "calls", size.calls);
      get_number(one, "over", size.over);
    }
  }
  if (json.contains("allocating_threads")) {
    figures.has_threads = true;
    figures.allocating_threads = threads_from(json, "allocating_threads");
    figures.freeing_threads = threads_from(json, "freeing_threads");
  }
  return figures;
}

Row row_from(const Json& json) {
  Row row;
  get_text(json, "name", row.name);
  get_text(json, "function", row.function);
  get_text(json, "file", row.file);
  get_text(json, "module", row.module);
  get_number(json, "line", row.line);
  get_number(json, "site", row.site);
  get_number(json, "ledger", row.ledger);
  get_number(json, "heap", row.heap);
  get_number(json, "stacks", row.stacks);
  if (const Json* callers = json.find("callers")) {
    for (const Json& caller : *callers) row.callers.push_back(text_of(caller, "callers"));
  }
  if (const Json* owner = json.find("owner")) {
    get_text(*owner, "function", row.owner.function);
    get_text(*owner, "file", row.owner.file);
    get_number(*owner, "line", row.owner.line);
    get_number(*owner, "amount", row.owner.amount);
  }
  if (const Json* rest = json.find("rest"))
    row.is_rest = rest->truth() != nullptr && *rest->truth();
  get_number(json, "key", row.key);
  row.all = figures_from(json);
  row.self = json.contains("self") ? figures_from(in(json, "self")) : row.all;
  return row;
}

TreeNode node_from(const Json& json) {
  TreeNode node;
  get_text(json, "name", node.name);
  get_text(json, "file", node.file);
  get_text(json, "module", node.module);
  get_number(json, "line", node.line);
  get_number(json, "parent", node.parent);
  get_number(json, "depth", node.depth);
  get_number(json, "hidden", node.hidden);
  for (const Json& child : list_in(json, "children")) {
    node.children.push_back(static_cast<uint32_t>(natural_of(child, "children")));
  }
  node.all = figures_from(json);
  node.self = figures_from(in(json, "self"));
  return node;
}

}  // namespace

void put_errors(Json& json, const Estimates& estimates) {
  for (const FigureRow& row : figure_catalog()) {
    if (row.error != nullptr && estimates.*row.error > 0) {
      json[error_key(row)] = estimates.*row.error;
    }
  }
}

void put_figures(Json& json, const Figures& figures, bool only_live) {
  put_errors(json, figures);
  for (const FigureRow& row : figure_catalog()) {
    bool is_live = row.measure == Measure::kLiveBytes || row.measure == Measure::kLiveBlocks;
    if (row.key.empty() || (only_live && !is_live) || !is_known(figures, row.measure)) continue;
    json[row.key] = value_of(figures, row.measure);
  }
  if (only_live) return;
  if (figures.has_lifetimes) json["lifetimes_ns"] = to_json(figures.lifetimes);
  if (figures.has_sizes) json["common_sizes"] = to_json(figures.common_sizes);
  if (!figures.has_threads) return;
  json["allocating_threads"] = threads_json(figures.allocating_threads);
  json["freeing_threads"] = threads_json(figures.freeing_threads);
}

Json to_json(const Histogram& histogram) {
  Json json;
  json["smallest"] = histogram.smallest();
  json["median"] = histogram.median();
  json["mean"] = histogram.mean();
  json["largest"] = histogram.largest();
  json["sum"] = histogram.sum();
  json["by_power_of_two"] = histogram.by_power_of_two();
  json["buckets"] = Json::array();
  for (const Histogram::Bucket& bucket : histogram.buckets()) {
    json["buckets"].push_back(Json::array({bucket.number, bucket.count}));
  }
  return json;
}

Json to_json(const std::vector<CommonSize>& sizes) {
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

void put_part(Json& json, const Row& row) {
  for (const std::string& caller : row.callers) json["callers"].push_back(as_utf8(caller));
  if (row.is_rest) json["rest"] = true;
  if (row.owner.function.empty()) return;
  Json owner;
  put_text(owner, "function", row.owner.function);
  put_text(owner, "file", row.owner.file);
  put_number(owner, "line", row.owner.line);
  put_number(owner, "amount", row.owner.amount);
  json["owner"] = std::move(owner);
}

Json to_json(const Row& row, bool only_live) {
  Json json;
  json["name"] = as_utf8(row.name);
  put_text(json, "function", row.function);
  put_text(json, "file", row.file);
  put_number(json, "line", row.line);
  put_text(json, "module", row.module);
  put_number(json, "site", row.site);
  put_number(json, "ledger", row.ledger);
  put_number(json, "heap", row.heap);
  put_number(json, "stacks", row.stacks);
  put_part(json, row);
  put_number(json, "key", row.key);
  put_figures(json, row.all, only_live);
  if (!(row.self == row.all)) json["self"] = figures_json(row.self, only_live);
  return json;
}

Json to_json(const TreeNode& node, bool only_live) {
  Json json;
  json["name"] = as_utf8(node.name);
  put_text(json, "file", node.file);
  put_number(json, "line", node.line);
  put_text(json, "module", node.module);
  json["parent"] = node.parent;
  json["depth"] = node.depth;
  json["children"] = node.children;
  json["hidden"] = node.hidden;
  put_figures(json, node.all, only_live);
  json["self"] = figures_json(node.self, only_live);
  return json;
}

Json to_json(const Answer& answer) {
  Json json;
  json["only_live"] = answer.only_live;
  json["begin_ns"] = answer.begin_ns;
  json["end_ns"] = answer.end_ns;
  json["groups"] = answer.groups;
  json["heaps"] = as_utf8(answer.heaps);
  json["cut_sites"] = answer.cut_sites;
  json["totals"] = figures_json(answer.totals, answer.only_live);
  json["rows"] = Json::array();
  for (const Row& row : answer.rows) json["rows"].push_back(to_json(row, answer.only_live));
  json["tree"] = Json::array();
  for (const TreeNode& node : answer.tree) json["tree"].push_back(to_json(node, answer.only_live));
  return json;
}

Answer answer_from_json(const Json& json) {
  Answer answer;
  const bool* only_live = in(json, "only_live").truth();
  if (only_live == nullptr) refuse_answer("only_live");
  answer.only_live = *only_live;
  get_number(json, "begin_ns", answer.begin_ns);
  get_number(json, "end_ns", answer.end_ns);
  get_number(json, "groups", answer.groups);
  get_text(json, "heaps", answer.heaps);
  get_number(json, "cut_sites", answer.cut_sites);
  answer.totals = figures_from(in(json, "totals"));
  for (const Json& row : list_in(json, "rows")) answer.rows.push_back(row_from(row));
  for (const Json& node : list_in(json, "tree")) answer.tree.push_back(node_from(node));
  return answer;
}

}  // namespace heapledger
