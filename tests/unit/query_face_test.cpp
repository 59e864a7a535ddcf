// The face of the analyzer: questions and answers as JSON, several askers at once, giving up.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stop_token>
#include <thread>

#include "analyzer/query/answer_json.h"
#include "analyzer/query/question_json.h"
#include "query_asker.h"

namespace heapledger {
namespace {

using test::Asked;
using test::Asker;
using test::kAllGroups;
using test::World;

Json read_back(const Json& json) {
  Json again;
  std::string why;
  EXPECT_TRUE(read_json(json.line(), again, why)) << why;
  EXPECT_EQ(again.line(), json.line());
  return again;
}

Json json_of(const std::string& text) {
  Json json;
  std::string why;
  EXPECT_TRUE(read_json(text, json, why)) << why;
  return json;
}

class QueryFace : public testing::TestWithParam<uint64_t> {
 protected:
  QueryFace()
      : world_(GetParam(), 1 + static_cast<uint32_t>(GetParam() % 2), 700),
        ledgers_(open()),
        asker_(world_, ledgers_, GetParam() + 2000) {}

  Ledgers open(heapledger::Asker asker = {}) {
    Ledgers ledgers = test::open_bytes(world_.files()).for_asker(std::move(asker));
    ledgers.use_symbols(&world_.symbols());
    return ledgers;
  }

  // All kinds of them.
  std::vector<Question> questions() {
    std::vector<Question> all;
    for (GroupBy by : kAllGroups) {
      all.push_back(asker_.make().question);
      all.back().by = by;
    }
    for (TreeShape tree : {TreeShape::kTopDown, TreeShape::kBottomUp}) {
      all.push_back(asker_.make().question);
      all.back().tree = tree;
    }
    all.back().path = {"main", "run", "main"};
    all.push_back(all.front());
    all.back().only_live = true;
    all.back().between.reset();
    return all;
  }

  World world_;
  Ledgers ledgers_;
  Asker asker_;
};

TEST_P(QueryFace, QuestionsAndAnswersComeBackFromJson) {
  for (const Question& question : questions()) {
    Question read = question_from_json(read_back(to_json(question)));
    EXPECT_TRUE(read == question) << to_json(question).line();
    Answer answer = ledgers_.ask(question);
    Json json = to_json(answer);
    EXPECT_TRUE(answer_from_json(read_back(json)) == answer) << json.line();
  }
}

TEST_P(QueryFace, SeveralThreadsGetWhatOneGets) {
  std::vector<Question> all = questions();
  // Which of many sizes are kept depends on the order of blocks that nobody freed.
  for (Question& question : all) question.wanted.sizes = false;
  std::vector<Answer> expected;
  for (const Question& question : all) expected.push_back(ledgers_.ask(question));

  Ledgers fresh = open();
  constexpr size_t kThreads = 6;
  std::latch start(kThreads);
  std::atomic<size_t> wrong = 0;
  std::vector<std::jthread> threads;
  for (size_t number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number, mine = fresh.for_asker({})]() mutable {
      start.arrive_and_wait();
      for (size_t i = 0; i < all.size(); ++i) {
        const size_t place = (i + number * 3) % all.size();
        const Answer answer = mine.ask(all[place]);
        bool same = answer == expected[place];
        if (same && all[place].by == GroupBy::kSite && !answer.rows.empty()) {
          same = !mine.frames(answer.rows.front().site).empty();
        }
        same = same && mine.overview().sums.calls == ledgers_.overview().sums.calls;
        if (!same) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0u);
}

// Whoever gives up gets no answer; whoever asks after that gets the right one.
TEST_P(QueryFace, GivingUpLeavesEverythingAsItWas) {
  const std::vector<Question> all = questions();
  for (Question question : {all[0], all[6], all.back()}) {
    question.wanted.sizes = false;
    const Answer expected = ledgers_.ask(question);
    std::stop_source stop;
    heapledger::Asker impatient;
    impatient.stop = stop.get_token();
    impatient.progress = [&](uint64_t, uint64_t) { stop.request_stop(); };
    Ledgers ledgers = open(impatient);
    bool gave_up = false;
    try {
      ledgers.overview();
      ledgers.ask(question);
      ledgers.ask(question);
    } catch (const Error& error) {
      gave_up = error.kind() == ErrorKind::kCancelled;
    }
    EXPECT_TRUE(gave_up);
    EXPECT_TRUE(ledgers.for_asker({}).ask(question) == expected);
  }
}

TEST_P(QueryFace, WhoWaitsForItsTurnCanGiveUp) {
  ledgers_.overview();
  std::stop_source stop;
  Ledgers other = ledgers_.for_asker({{}, stop.get_token()});
  bool gave_up = false;
  std::jthread waiting;
  Question question;
  ledgers_.calls(question, [&](const CallFacts&) {
    if (waiting.joinable() || gave_up) return;
    // The pass goes on as long as this has not returned.
    waiting = std::jthread([&] {
      try {
        other.ask(question);
      } catch (const Error& error) {
        gave_up = error.kind() == ErrorKind::kCancelled;
      }
    });
    stop.request_stop();
    waiting.join();
  });
  EXPECT_TRUE(gave_up);
}

INSTANTIATE_TEST_SUITE_P(Worlds, QueryFace, testing::Range<uint64_t>(0, 4));

TEST(QuestionJson, WhatIsNotThereIsAsEver) {
  EXPECT_TRUE(question_from_json(json_of("{}")) == Question());
}

TEST(QuestionJson, FiltersMayBeTextsAsPeopleWriteThem) {
  Question question = question_from_json(json_of(
      R"({"filter": "size>=1k,thread=worker*,function=!main", "between": ["10%", "end"]})"));
  EXPECT_EQ(question.filter.size.least, 1024u);
  EXPECT_EQ(question.filter.threads.in, std::vector<std::string>{"worker*"});
  EXPECT_EQ(question.filter.functions.out, std::vector<std::string>{"main"});
  ASSERT_TRUE(question.between.has_value());
  EXPECT_EQ(question.between->first.percent, 10.0);
  EXPECT_TRUE(question_from_json(read_back(to_json(question))) == question);
}

TEST(QuestionJson, RefusalsNameTheMember) {
  for (const auto& [text, named] :
       std::vector<std::pair<std::string, std::string>>{{R"({"colour": 1})", "colour"},
                                                        {R"({"top": -1})", "top"},
                                                        {R"({"top": "x"})", "top"},
                                                        {R"({"by": "colour"})", "colour"},
                                                        {R"({"path": "main"})", "path"},
                                                        {R"({"sort": "colour"})", "colour"},
                                                        {R"({"at": 5})", "at"},
                                                        {R"({"between": ["start"]})", "between"},
                                                        {R"({"tree": "upwards"})", "tree"},
                                                        {R"({"wanted": ["gold"]})", "gold"},
                                                        {R"({"filter": {"size": 5}})", "size"},
                                                        {R"({"filter": {"colour": []}})", "colour"},
                                                        {R"([])", "object"}}) {
    try {
      question_from_json(json_of(text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kQuestion);
      EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
    }
  }
}

TEST(AnswerJson, WhatIsNoAnswerIsRefused) {
  const std::string whole = to_json(Answer()).line();
  EXPECT_TRUE(answer_from_json(json_of(whole)) == Answer());
  for (const char* text :
       {"{}", "[]", "1", R"({"only_live": 1})",
        R"({"only_live": false, "totals": {}, "rows": 5, "tree": []})",
        R"({"only_live": false, "totals": {"calls": "many"}, "rows": [], "tree": []})"}) {
    EXPECT_THROW(answer_from_json(json_of(text)), Error) << text;
  }
}

TEST(Json, TextsThatAreNoneAreRefusedWithTheirPlace) {
  Json json;
  std::string why;
  EXPECT_FALSE(read_json("{\"a\": ", json, why));
  EXPECT_NE(why.find("byte"), std::string::npos) << why;
  EXPECT_FALSE(read_json(std::string(100'000, '['), json, why));
  EXPECT_NE(why.find("deep"), std::string::npos) << why;
  EXPECT_TRUE(
      read_json(R"({"a": [1, -2, 2.5, "\u00e4", true, null, 18446744073709551615]})", json, why));
  EXPECT_EQ(json.line(), R"({"a":[1,-2,2.5,"\u00e4",true,null,18446744073709551615]})");
}

}  // namespace
}  // namespace heapledger
