// Single blocks: the largest, where all of them lie, and the life of one.
#include <algorithm>
#include <cmath>

#include "analyzer/error.h"
#include "analyzer/query/block_life.h"
#include "analyzer/query/heap_map.h"
#include "analyzer/query/question_json.h"
#include "server/columns.h"
#include "server/routes.h"

namespace heapledger::server {
namespace {

constexpr size_t kMostBlocks = 1'000;
// Of a map: so that an answer has half a megabyte at the most.
constexpr size_t kMostMapRows = 256;
constexpr size_t kMostMapColumns = 512;
constexpr size_t kMostMapCells = 50'000;

size_t number_of(const Json& body, std::string_view name, size_t usual, size_t most) {
  const Json* found = body.find(name);
  if (found == nullptr) return usual;
  const auto number = found->natural();
  if (!number || *number == 0) {
    throw Error("'" + std::string(name) + "' is not a whole number from 1 on",
                ErrorKind::kQuestion);
  }
  return static_cast<size_t>(std::min<uint64_t>(*number, most));
}

uint64_t natural_of(const Json& body, std::string_view name) {
  const auto number = member_of(body, name).natural();
  if (!number) {
    throw Error("'" + std::string(name) + "' is not a whole number", ErrorKind::kQuestion);
  }
  return *number;
}

const char* end_word(BlockEvent::What end) {
  switch (end) {
    case BlockEvent::What::kFreed:
      return "freed";
    case BlockEvent::What::kResized:
      return "resized";
    case BlockEvent::What::kLost:
      return "lost";
    default:
      return "left";
  }
}

Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(static_cast<uint64_t>(std::llround(value)));
  return list;
}

Json lives_json(const Asked& asked, const std::vector<BlockLife>& lives, TextTable& table) {
  using Life = BlockLife;
  Json columns = {{"count", lives.size()}};
  const auto put = [&](const char* name, auto&& value) {
    put_column_of(columns, name, lives, value);
  };
  put("address", [](const Life& life) { return life.address; });
  put("size", [](const Life& life) { return life.size; });
  put("site", [](const Life& life) { return life.site; });
  put("birth_ns", [](const Life& life) { return life.birth_ns; });
  put("end_ns", [](const Life& life) { return life.end_ns; });
  put("end", [&](const Life& life) { return table.place_of(end_word(life.end)); });
  put("thread", [&](const Life& life) { return asked.threads.of_place(life.ledger, life.thread); });
  put("by", [&](const Life& life) { return asked.threads.of_place(life.ledger, life.by); });
  put("temporary", [](const Life& life) { return life.temporary; });
  return columns;
}

}  // namespace

Json answer_blocks(Asked& asked, const Json& body) {
  const BlockList list = asked.ledgers.blocks(question_of(body, kMostBlocks));
  const std::vector<BlockFacts>& blocks = list.blocks;
  Json json = {{"time_ns", list.time_ns},
               {"live_bytes", list.live_bytes},
               {"live_blocks", list.live_blocks}};
  Json columns = {{"count", blocks.size()}};
  put_column_of(columns, "address", blocks, [](const BlockFacts& block) { return block.address; });
  put_column_of(columns, "size", blocks, [](const BlockFacts& block) { return block.size; });
  put_column_of(columns, "birth_ns", blocks,
                [](const BlockFacts& block) { return block.birth_ns; });
  put_column_of(columns, "age_ns", blocks, [](const BlockFacts& block) { return block.age_ns; });
  put_column_of(columns, "ledger", blocks, [](const BlockFacts& block) { return block.ledger; });
  put_column_of(columns, "thread", blocks, [&asked](const BlockFacts& block) {
    return asked.threads.of_place(block.ledger, block.thread);
  });
  put_column_of(columns, "site", blocks, [](const BlockFacts& block) { return block.site; });
  json["blocks"] = std::move(columns);
  return json;
}

Json answer_map(Asked& asked, const Json& body) {
  HeapMapShape shape;
  shape.columns = number_of(body, "columns", 240, kMostMapColumns);
  shape.rows = number_of(body, "rows", 160, kMostMapRows);
  shape.rows = std::min(shape.rows, kMostMapCells / shape.columns);
  const HeapMap map =
      heap_map(asked.ledgers, question_from_json(member_of(body, "question")), shape);
  using Region = HeapRegion;
  Json regions = {{"count", map.regions.size()}};
  put_column_of(regions, "ledger", map.regions, [](const Region& one) { return one.ledger; });
  put_column_of(regions, "begin", map.regions, [](const Region& one) { return one.begin; });
  put_column_of(regions, "end", map.regions, [](const Region& one) { return one.end; });
  put_column_of(regions, "first_row", map.regions, [](const Region& one) { return one.first_row; });
  put_column_of(regions, "rows", map.regions, [](const Region& one) { return one.rows; });
  Json json = {{"rows", map.rows},
               {"columns", map.columns},
               {"begin_ns", map.begin_ns},
               {"column_ns", map.column_ns},
               {"cell_bytes", map.cell_bytes}};
  json["regions"] = std::move(regions);
  json["cells"] = rounded(map.cells);
  json["elsewhere"] = rounded(map.elsewhere);
  Json answer = Json::object();
  answer["map"] = std::move(json);
  return answer;
}

Json answer_block_life(Asked& asked, const Json& body) {
  Question question;
  if (body.contains("question")) question = question_from_json(member_of(body, "question"));
  if (body.contains("ledger")) question.ledger = static_cast<uint32_t>(natural_of(body, "ledger"));
  const LifeOfBlock life = life_of_block(asked.ledgers, question, natural_of(body, "address"),
                                         natural_of(body, "time_ns"));
  const auto as_list = [](const std::optional<BlockLife>& one) {
    return one ? std::vector<BlockLife>{*one} : std::vector<BlockLife>{};
  };
  TextTable table(asked.files);
  Json json = Json::object();
  json["block"] = lives_json(asked, as_list(life.block), table);
  json["before"] = lives_json(asked, life.before, table);
  json["resizes_before"] = life.resizes_before;
  json["after"] = lives_json(asked, as_list(life.after), table);
  json["neighbours"] = lives_json(asked, life.neighbours, table);
  json["tenants"] = lives_json(asked, life.tenants, table);
  json["tenants_before"] = life.tenants_before;
  json["tenants_after"] = life.tenants_after;
  table.put_into(json);
  return json;
}

}  // namespace heapledger::server
