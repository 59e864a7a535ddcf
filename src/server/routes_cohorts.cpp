// The plane of births and ends, and who the blocks of a part of it belong to.
#include <algorithm>
#include <array>
#include <string>

#include "analyzer/error.h"
#include "analyzer/query/question_json.h"
#include "server/columns.h"
#include "server/routes.h"

namespace heapledger::server {
namespace {

constexpr uint32_t kMostCells = 128;

BucketRange buckets_of(const Json& json, std::string_view name) {
  BucketRange range;
  const bool is_pair = json.is_array() && json.size() == 2;
  const auto first = is_pair ? json.begin()[0].natural() : std::nullopt;
  const auto last = is_pair ? json.begin()[1].natural() : std::nullopt;
  if (!first || !last || *first > *last) {
    throw Error("'" + std::string(name) + "' is not a list of two buckets, the earlier one first",
                ErrorKind::kQuestion);
  }
  range.first = static_cast<uint32_t>(std::min<uint64_t>(*first, UINT32_MAX));
  range.last = static_cast<uint32_t>(std::min<uint64_t>(*last, UINT32_MAX));
  return range;
}

// What is known of them.
Json known_of(const Json& figures) {
  constexpr std::array<std::string_view, 6> kKnown = {"calls",       "bytes",       "ended_blocks",
                                                      "ended_bytes", "live_blocks", "live_bytes"};
  Json known = Json::object();
  for (const std::string_view name : kKnown) {
    if (const Json* found = figures.find(name)) known[name] = *found;
  }
  return known;
}

}  // namespace

Json answer_cohorts(Asked& asked, const Json& body) {
  const Cohorts plane =
      asked.ledgers.cohorts(question_from_json(member_of(body, "question")), kMostCells);
  using Cell = Cohorts::Cell;
  Json cells = {{"count", plane.cells.size()}};
  put_column_of(cells, "birth", plane.cells, [](const Cell& cell) { return cell.birth; });
  put_column_of(cells, "death", plane.cells, [](const Cell& cell) { return cell.death; });
  put_column_of(cells, "blocks", plane.cells, [](const Cell& cell) { return cell.blocks; });
  put_column_of(cells, "bytes", plane.cells, [](const Cell& cell) { return cell.bytes; });
  Json json = {{"width_ns", plane.edges.width_ns * plane.buckets_per_cell},
               {"buckets_per_cell", plane.buckets_per_cell},
               {"count", plane.count}};
  json["cells"] = std::move(cells);
  Json answer = Json::object();
  answer["cohorts"] = std::move(json);
  answer["from"] = "index";
  return answer;
}

Json answer_cohort(Asked& asked, const Json& body) {
  const Question question = question_of(body, kMostRows);
  Cohort cohort;
  cohort.born = buckets_of(member_of(body, "born"), "born");
  if (const Json* died = body.find("died")) cohort.died = buckets_of(*died, "died");
  if (const Json* left = body.find("left"))
    cohort.left = left->truth() != nullptr && *left->truth();
  Json columns = answer_columns(asked.ledgers.ask_cohort(question, cohort), asked.files);
  columns["totals"] = known_of(*columns.find("totals"));
  Json json = Json::object();
  json["answer"] = std::move(columns);
  json["from"] = "index";
  return json;
}

}  // namespace heapledger::server
