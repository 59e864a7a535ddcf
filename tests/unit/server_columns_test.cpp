// Answers as columns are the same answers as JSON has them row by row: each is made objects again
// and compared with those of answer_json.h.
#include <gtest/gtest.h>

#include "analyzer/query/answer_json.h"
#include "analyzer/query/question_json.h"
#include "query_asker.h"
#include "server/columns.h"
#include "server/routes.h"

namespace heapledger {
namespace {

using server::FileNumbers;
using test::Asker;
using test::kAllGroups;
using test::World;

const Json* at(const Json& columns, std::string_view name, size_t i) {
  const Json* column = columns.find(name);
  return column == nullptr ? nullptr : column->begin() + i;
}

uint64_t number_at(const Json& columns, std::string_view name, size_t i) {
  const Json* value = at(columns, name, i);
  return value == nullptr ? 0 : value->natural().value();
}

// Of an answer that is columns.
class Columns {
 public:
  explicit Columns(const Json& answer) : answer_(answer) {}

  void expect_texts(const Json& table, size_t i, const Json& object) const {
    for (const char* name : {"name", "function", "module"}) {
      EXPECT_EQ(text(number_at(table, name, i)), text_in(object, name)) << name;
    }
    const uint64_t file = number_at(table, "file", i);
    const Json* path = answer_.find("files")->find(std::to_string(file));
    EXPECT_EQ(file == 0 ? "" : *path->text(), text_in(object, "file"));
  }

  static void expect_numbers(const Json& table, size_t i, const Json& object,
                             std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const Json* value = object.find(name);
      EXPECT_EQ(number_at(table, name, i), value == nullptr ? 0 : *value->natural()) << name;
    }
  }

  // Each of them as it would be put alone.
  static void expect_figures(const Json& columns, size_t i, const Figures& figures) {
    Json object = Json::object();
    put_figures(object, figures, false);
    for (const FigureRow& row : figure_catalog()) {
      if (row.key.empty()) continue;
      const Json* known = object.find(row.key);
      const Json* value = at(columns, row.key, i);
      const bool is_null = value == nullptr || value->is_null();
      EXPECT_EQ(is_null ? 0 : *value->natural(), known == nullptr ? 0 : *known->natural())
          << row.key;
    }
    for (const char* name : {"lifetimes_ns", "common_sizes", "allocating_threads"}) {
      const Json* known = object.find(name);
      const Json* value = at(columns, name, i);
      if (known != nullptr && !known->empty()) {
        ASSERT_NE(value, nullptr) << name;
        EXPECT_EQ(value->line(), known->line()) << name;
      }
    }
  }

 private:
  std::string text(uint64_t place) const {
    return *(answer_.find("texts")->begin() + place)->text();
  }
  static std::string text_in(const Json& object, std::string_view name) {
    const Json* found = object.find(name);
    return found == nullptr ? "" : *found->text();
  }

  const Json& answer_;
};

void expect_same(const Json& wire, const Answer& answer) {
  const Columns columns(wire);
  const Json& rows = *wire.find("rows");
  ASSERT_EQ(*rows.find("count")->natural(), answer.rows.size());
  for (size_t i = 0; i < answer.rows.size(); ++i) {
    const Row& row = answer.rows[i];
    const Json object = to_json(row, false);
    columns.expect_texts(rows, i, object);
    Columns::expect_numbers(rows, i, object, {"line", "site", "ledger", "heap", "stacks"});
    Columns::expect_figures(*rows.find("all"), i, row.all);
    const Json* self = rows.find("self");
    Columns::expect_figures(self != nullptr ? *self : *rows.find("all"), i, row.self);
    const Json* key = at(rows, "key", i);
    EXPECT_EQ(key != nullptr && key->is_null(), row.key == UINT64_MAX);
    if (row.key != UINT64_MAX) {
      EXPECT_EQ(number_at(rows, "key", i), row.key);
    }
  }
  const Json& tree = *wire.find("tree");
  ASSERT_EQ(*tree.find("count")->natural(), answer.tree.size());
  for (size_t i = 0; i < answer.tree.size(); ++i) {
    const Json object = to_json(answer.tree[i], false);
    columns.expect_texts(tree, i, object);
    Columns::expect_numbers(tree, i, object, {"line", "parent", "hidden"});
    Columns::expect_figures(*tree.find("all"), i, answer.tree[i].all);
    Columns::expect_figures(*tree.find("self"), i, answer.tree[i].self);
  }
  EXPECT_EQ(wire.find("totals")->find("calls")->natural(), answer.totals.calls);
}

TEST(ServerColumns, AreTheAnswer) {
  for (uint64_t seed = 1; seed < 9; ++seed) {
    World world(seed, 1 + static_cast<uint32_t>(seed % 2), 500);
    Ledgers ledgers = test::open_bytes(world.files());
    ledgers.use_symbols(&world.symbols());
    Asker asker(world, ledgers, seed);
    FileNumbers files;
    for (GroupBy by : kAllGroups) {
      Question question = asker.make().question;
      question.by = by;
      question.wanted.lifetimes = question.wanted.sizes = question.wanted.threads = seed % 3 == 0;
      const Answer answer = ledgers.ask(question);
      SCOPED_TRACE(to_json(question).line());
      expect_same(server::answer_columns(answer, files), answer);
    }
    for (TreeShape shape : {TreeShape::kTopDown, TreeShape::kBottomUp}) {
      Question question = asker.make().question;
      question.tree = shape;
      const Answer answer = ledgers.ask(question);
      expect_same(server::answer_columns(answer, files), answer);
    }
  }
}

Answer answer_of(const std::vector<Row>& rows) {
  Answer answer;
  answer.rows = rows;
  return answer;
}

TEST(ServerColumns, LeaveOutWhatIsNothing) {
  FileNumbers files;
  Row one;
  one.name = "one";
  one.all.calls = one.self.calls = 3;
  Row two = one;
  two.name = "two";
  const Json wire = server::answer_columns(answer_of({one, two}), files);
  const Json& rows = *wire.find("rows");
  EXPECT_EQ(rows.line(), R"({"count":2,"name":[1,2],"all":{"calls":[3,3]}})");
  EXPECT_EQ(wire.find("texts")->line(), R"(["","one","two"])");
}

TEST(ServerColumns, WhatIsNotKnownIsNullBesideWhatIs) {
  FileNumbers files;
  Row one;
  one.name = "one";
  Row two = one;
  one.all.has_peak = one.self.has_peak = true;
  two.key = kNeverFreed;
  const Json wire = server::answer_columns(answer_of({one, two}), files);
  EXPECT_EQ(wire.find("rows")->find("key")->line(), "[0,null]");
  EXPECT_EQ(wire.find("rows")->find("all")->find("peak_bytes")->line(), "[0,null]");
}

TEST(ServerColumns, FilesHaveTheSameNumbersInAllAnswers) {
  FileNumbers files;
  Row row;
  row.file = "/src/b.cpp";
  EXPECT_EQ(server::answer_columns(answer_of({row}), files).find("files")->line(),
            R"({"1":"/src/b.cpp"})");
  Row other;
  other.file = "/src/a.cpp";
  const Json wire = server::answer_columns(answer_of({other, row}), files);
  EXPECT_EQ(wire.find("files")->line(), R"({"1":"/src/b.cpp","2":"/src/a.cpp"})");
  EXPECT_EQ(wire.find("rows")->find("file")->line(), "[2,1]");
  EXPECT_EQ(files.path_of(2), "/src/a.cpp");
  EXPECT_EQ(files.path_of(0), std::nullopt);
  EXPECT_EQ(files.path_of(3), std::nullopt);
}

TEST(ServerColumns, TextsAreUtf8) {
  FileNumbers files;
  Row row;
  row.name = "</script>\xff\"";
  const Json wire = server::answer_columns(answer_of({row}), files);
  EXPECT_EQ(wire.find("texts")->line(), R"(["","</script>\\xff\""])");
}

}  // namespace
}  // namespace heapledger
