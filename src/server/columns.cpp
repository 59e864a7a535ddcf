#include "server/columns.h"

#include <algorithm>
#include <utility>

#include "analyzer/query/answer_json.h"
#include "text/text.h"

namespace heapledger::server {
namespace {

// 0, or the empty text.
bool is_nothing(const Json& value) {
  if (value.natural()) return *value.natural() == 0;
  if (value.text() != nullptr) return value.text()->empty();
  if (value.truth() != nullptr) return !*value.truth();
  return !value.is_null() && value.empty();
}

bool is_live(Measure measure) {
  return measure == Measure::kLiveBytes || measure == Measure::kLiveBlocks;
}

// What a row has only one of, or many: whatever answer_json.h makes of it.
Json more_of(const Figures& figures, const char* name) {
  Json all;
  put_figures(all, figures, false);
  const Json* found = all.find(name);
  return found != nullptr ? *found : Json();
}

void put_errors_of(Json& json, const std::vector<const Figures*>& figures) {
  for (const FigureRow& row : figure_catalog()) {
    if (row.error == nullptr) continue;
    put_column_of(json, std::string(row.word) + "_error", figures, [&row](const Figures* one) {
      return one->*row.error > 0 ? Json(one->*row.error) : Json(0u);
    });
  }
}

void put_wanted(Json& json, const std::vector<const Figures*>& figures) {
  const auto any = [&](bool Figures::*has) {
    return std::any_of(figures.begin(), figures.end(),
                       [has](const Figures* one) { return one->*has; });
  };
  std::vector<const char*> names;
  if (any(&Figures::has_lifetimes)) names.push_back("lifetimes_ns");
  if (any(&Figures::has_sizes)) names.push_back("common_sizes");
  if (any(&Figures::has_threads)) {
    names.insert(names.end(), {"allocating_threads", "freeing_threads"});
  }
  for (const char* name : names) {
    put_column_of(json, name, figures, [name](const Figures* one) { return more_of(*one, name); });
  }
}

// What stands for no key is null: never freed, other sizes.
void put_keys(Json& json, const std::vector<Row>& rows) {
  const auto has_none = [](const Row& row) { return row.key == UINT64_MAX; };
  std::vector<Json> keys;
  keys.reserve(rows.size());
  for (const Row& row : rows) keys.push_back(has_none(row) ? Json(nullptr) : Json(row.key));
  if (std::any_of(rows.begin(), rows.end(), has_none)) {
    json["key"] = std::move(keys);
  } else {
    put_column(json, "key", std::move(keys));
  }
}

void put_owners(Json& json, const std::vector<Row>& rows, TextTable& table) {
  Json owner = Json::object();
  put_column_of(owner, "function", rows,
                [&](const Row& row) { return table.place_of(row.owner.function); });
  put_column_of(owner, "file", rows, [&](const Row& row) { return table.file_of(row.owner.file); });
  put_column_of(owner, "line", rows, [](const Row& row) { return row.owner.line; });
  put_column_of(owner, "amount", rows, [](const Row& row) { return row.owner.amount; });
  if (!owner.empty()) json["owner"] = std::move(owner);
}

Json rows_json(const std::vector<Row>& rows, bool only_live, TextTable& table,
               const ThreadNumber& thread) {
  Json json = Json::object();
  json["count"] = rows.size();
  put_column_of(json, "name", rows, [&](const Row& row) { return table.place_of(row.name); });
  put_column_of(json, "function", rows,
                [&](const Row& row) { return table.place_of(row.function); });
  put_column_of(json, "file", rows, [&](const Row& row) { return table.file_of(row.file); });
  put_column_of(json, "line", rows, [](const Row& row) { return row.line; });
  put_column_of(json, "module", rows, [&](const Row& row) { return table.place_of(row.module); });
  put_column_of(json, "site", rows, [](const Row& row) { return row.site; });
  put_column_of(json, "stacks", rows, [](const Row& row) { return row.stacks; });
  put_column_of(json, "ledger", rows, [](const Row& row) { return row.ledger; });
  put_column_of(json, "heap", rows, [](const Row& row) { return row.heap; });
  if (thread) {
    put_column_of(json, "thread", rows,
                  [&](const Row& row) { return thread(row.ledger, row.key); });
  }
  put_keys(json, rows);
  put_column_of(json, "callers", rows, [&](const Row& row) {
    Json callers = Json::array();
    for (const std::string& caller : row.callers) callers.push_back(table.place_of(caller));
    return callers;
  });
  put_column_of(json, "rest", rows, [](const Row& row) { return row.is_rest; });
  put_owners(json, rows, table);
  std::vector<const Figures*> all;
  std::vector<const Figures*> self;
  bool same = true;
  for (const Row& row : rows) {
    all.push_back(&row.all);
    self.push_back(&row.self);
    same = same && row.all == row.self;
  }
  json["all"] = figure_columns(all, only_live);
  if (!same) json["self"] = figure_columns(self, only_live);
  return json;
}

Json tree_json(const std::vector<TreeNode>& tree, bool only_live, TextTable& table) {
  Json json = Json::object();
  json["count"] = tree.size();
  put_column_of(json, "name", tree,
                [&](const TreeNode& node) { return table.place_of(node.name); });
  put_column_of(json, "file", tree, [&](const TreeNode& node) { return table.file_of(node.file); });
  put_column_of(json, "line", tree, [](const TreeNode& node) { return node.line; });
  put_column_of(json, "module", tree,
                [&](const TreeNode& node) { return table.place_of(node.module); });
  put_column_of(json, "parent", tree, [](const TreeNode& node) { return node.parent; });
  put_column_of(json, "hidden", tree, [](const TreeNode& node) { return node.hidden; });
  std::vector<const Figures*> all;
  std::vector<const Figures*> self;
  for (const TreeNode& node : tree) {
    all.push_back(&node.all);
    self.push_back(&node.self);
  }
  json["all"] = figure_columns(all, only_live);
  json["self"] = figure_columns(self, only_live);
  return json;
}

}  // namespace

uint32_t TextTable::place_of(std::string_view text) {
  const auto [place, is_new] =
      places_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(as_utf8(text));
  return place->second;
}

uint32_t TextTable::file_of(std::string_view path) {
  const uint32_t number = numbers_.number_of(path);
  if (number != 0) files_.try_emplace(number, path);
  return number;
}

void TextTable::put_into(Json& json) const {
  json["texts"] = texts_;
  json["files"] = Json::object();
  for (const auto& [number, path] : files_) json["files"][std::to_string(number)] = as_utf8(path);
}

void put_column(Json& json, std::string_view name, std::vector<Json> values) {
  const auto all = [&values](auto&& is) { return std::all_of(values.begin(), values.end(), is); };
  if (all(is_nothing) || all([](const Json& value) { return value.is_null(); })) return;
  json[name] = Json(std::move(values));
}

Json figure_columns(const std::vector<const Figures*>& figures, bool only_live) {
  Json json = Json::object();
  for (const FigureRow& row : figure_catalog()) {
    if (row.key.empty() || (only_live && !is_live(row.measure))) continue;
    put_column_of(json, row.key, figures, [&row](const Figures* one) {
      return is_known(*one, row.measure) ? Json(value_of(*one, row.measure)) : Json(nullptr);
    });
  }
  put_errors_of(json, figures);
  if (!only_live) put_wanted(json, figures);
  return json;
}

Json answer_columns(const Answer& answer, FileNumbers& numbers, const ThreadNumber& thread) {
  TextTable table(numbers);
  Json json = Json::object();
  json["only_live"] = answer.only_live;
  json["begin_ns"] = answer.begin_ns;
  json["end_ns"] = answer.end_ns;
  json["groups"] = answer.groups;
  json["heaps"] = as_utf8(answer.heaps);
  json["cut_sites"] = answer.cut_sites;
  json["totals"] = Json::object();
  put_figures(json["totals"], answer.totals, answer.only_live);
  Json rows = rows_json(answer.rows, answer.only_live, table, thread);
  Json tree = tree_json(answer.tree, answer.only_live, table);
  table.put_into(json);
  json["rows"] = std::move(rows);
  json["tree"] = std::move(tree);
  return json;
}

Json frame_columns(const std::vector<NamedFrame>& frames, TextTable& table) {
  Json json = Json::object();
  json["count"] = frames.size();
  put_column_of(json, "name", frames,
                [&](const NamedFrame& frame) { return table.place_of(frame.name); });
  put_column_of(json, "function", frames,
                [&](const NamedFrame& frame) { return table.place_of(frame.function); });
  put_column_of(json, "file", frames,
                [&](const NamedFrame& frame) { return table.file_of(frame.file); });
  put_column_of(json, "line", frames, [](const NamedFrame& frame) { return frame.line; });
  put_column_of(json, "module", frames,
                [&](const NamedFrame& frame) { return table.place_of(frame.module); });
  put_column_of(json, "inlined", frames, [](const NamedFrame& frame) { return frame.inlined; });
  put_column_of(json, "wrapper", frames, [](const NamedFrame& frame) { return frame.wrapper; });
  return json;
}

}  // namespace heapledger::server
