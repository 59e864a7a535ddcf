// Two moments of the recording, or two recordings, side by side.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/query/difference.h"
#include "analyzer/query/difference_json.h"
#include "server/columns.h"
#include "server/routes.h"
#include "text/text.h"

namespace heapledger::server {
namespace {

constexpr size_t kMostChanges = 5'000;

using Side = SideFigures ChangeRow::*;

const std::string& word_of(const Json& body, std::string_view name) {
  const std::string* text = member_of(body, name).text();
  if (text == nullptr)
    throw Error("'" + std::string(name) + "' is not a text", ErrorKind::kQuestion);
  return *text;
}

DifferenceQuestion difference_question(const Json& body) {
  DifferenceQuestion question;
  question.by = body.contains("by") ? parse_group_by(word_of(body, "by")) : GroupBy::kOwner;
  if (body.contains("filter")) question.filter = parse_filter(word_of(body, "filter"));
  if (body.contains("sort")) question.sort = parse_compared(word_of(body, "sort"));
  const auto top = body.contains("top") ? member_of(body, "top").natural() : kMostChanges;
  if (!top) throw Error("'top' is not a number", ErrorKind::kQuestion);
  question.top = std::min<size_t>(*top, kMostChanges);
  return question;
}

// Objects with the same members, as columns.
Json columns_of(const std::vector<Json>& objects) {
  Json columns = Json::object();
  const auto fullest =
      std::max_element(objects.begin(), objects.end(),
                       [](const Json& a, const Json& b) { return a.size() < b.size(); });
  if (fullest == objects.end()) return columns;
  for (std::string_view name : fullest->names()) {
    put_column_of(columns, name, objects, [name](const Json& object) {
      const Json* member = object.find(name);
      return member != nullptr ? *member : Json(nullptr);
    });
  }
  return columns;
}

void put_sides(Json& json, const std::vector<ChangeRow>& rows, Side before, Side after) {
  std::vector<Json> first;
  std::vector<Json> second;
  std::vector<Json> changes;
  for (const ChangeRow& row : rows) {
    first.push_back(side_json(row.*before));
    second.push_back(side_json(row.*after));
    changes.push_back(changes_json(row.*before, row.*after));
  }
  json["before"] = columns_of(first);
  json["after"] = columns_of(second);
  json["change"] = columns_of(changes);
}

Json groups_columns(const Difference& difference, const DifferenceQuestion& question,
                    TextTable& table) {
  const std::vector<ChangeRow>& rows = difference.rows;
  Json json = {{"count", rows.size()}};
  put_column_of(json, "name", rows, [&](const ChangeRow& row) { return table.place_of(row.name); });
  put_column_of(json, "kind", rows, [&](const ChangeRow& row) {
    return table.place_of(name_of(row.kind(question.sort)));
  });
  put_column_of(json, "function", rows,
                [&](const ChangeRow& row) { return table.place_of(row.function); });
  put_column_of(json, "file", rows, [&](const ChangeRow& row) { return table.file_of(row.file); });
  put_column_of(json, "line", rows, [](const ChangeRow& row) { return row.line; });
  put_column_of(json, "module", rows,
                [&](const ChangeRow& row) { return table.place_of(row.module); });
  put_column_of(json, "key", rows, [](const ChangeRow& row) { return row.key; });
  put_column_of(json, "site_before", rows, [](const ChangeRow& row) { return row.site_before; });
  put_column_of(json, "site_after", rows, [](const ChangeRow& row) { return row.site_after; });
  put_column_of(json, "stacks_before", rows,
                [](const ChangeRow& row) { return row.stacks_before; });
  put_column_of(json, "stacks_after", rows, [](const ChangeRow& row) { return row.stacks_after; });
  put_sides(json, rows, &ChangeRow::before, &ChangeRow::after);
  if (difference.overlap) {
    Json all = Json::object();
    put_sides(all, rows, &ChangeRow::all_before, &ChangeRow::all_after);
    json["with_callees"] = std::move(all);
  }
  return json;
}

Json named(const MomentSpec& moment) {
  Json json = Json::object();
  json["moment"] = as_utf8(to_text(moment));
  return json;
}

}  // namespace

Json answer_compare(Asked& asked, const Json& body) {
  DifferenceQuestion question = difference_question(body);
  const bool is_of_two = body.contains("at");
  const MomentSpec before = moment_of(body, is_of_two ? "at" : "before");
  const MomentSpec after = moment_of(body, is_of_two ? "at" : "after");
  if (is_of_two && asked.earlier == nullptr) {
    throw Error("there is no other recording to compare with", ErrorKind::kQuestion);
  }
  question.at = after;
  const Difference difference = is_of_two ? compare(*asked.earlier, asked.ledgers, question)
                                          : compare_moments(asked.ledgers, before, after, question);
  TextTable table(asked.files);
  Json groups = groups_columns(difference, question, table);
  Json json = difference_json(difference, question, named(before), named(after));
  table.put_into(json);
  json["groups"] = std::move(groups);
  return json;
}

}  // namespace heapledger::server
