#include "questions.h"

#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "analyzer/error.h"
#include "analyzer/query/answer_json.h"

namespace heapledger::fuzz {
namespace {

template <typename Act>
void attempt(Act&& act) {
  try {
    act();
  } catch (const Error&) {
    // A clear refusal is a good answer.
  }
}

// What groups that do not overlap add up to is the total.
void check_sum(const Answer& answer) {
  uint64_t calls = 0;
  uint64_t live = 0;
  for (const Row& row : answer.rows) {
    calls += row.self.calls;
    live += row.self.live_blocks;
  }
  if (calls != answer.totals.calls || live != answer.totals.live_blocks) std::abort();
}

}  // namespace

void ask_everything(Ledgers& ledgers) {
  Question question;
  question.at = parse_moment("40%");
  question.by = GroupBy::kFunction;
  question.only_live = true;
  attempt([&] { ledgers.ask(question); });
  question.only_live = false;
  question.by = GroupBy::kSite;
  attempt([&] { check_sum(ledgers.ask(question)); });
  question.by = GroupBy::kFunction;
  question.wanted.own_peaks = true;
  attempt([&] { check_sum(ledgers.ask(question)); });
  question.wanted = {};
  question.by = GroupBy::kLifetimeClass;
  attempt([&] { check_sum(ledgers.ask(question)); });
  question.at = parse_moment("peak");
  question.by = GroupBy::kLine;
  attempt([&] { check_sum(ledgers.ask(question)); });
  for (TreeShape shape : {TreeShape::kTopDown, TreeShape::kBottomUp}) {
    question.tree = shape;
    attempt([&] { ledgers.ask(question); });
  }
  question.tree = TreeShape::kNone;
  question.by = GroupBy::kThread;
  question.between = {parse_moment("20%"), parse_moment("60%")};
  question.wanted.lifetimes = question.wanted.sizes = question.wanted.threads = true;
  question.filter = parse_filter("size>=8,lifetime<1s,module=!nothing");
  attempt([&] { check_sum(ledgers.ask(question)); });
  attempt([&] { ledgers.never_freed(Suppressions::built_in()); });
  attempt([&] { ledgers.where_rss(parse_moment("rss-peak")); });
  attempt([&] {
    Question largest;
    largest.at = parse_moment("70%");
    largest.top = 5;
    ledgers.blocks(largest);
  });
  Question others;  // pools and mappings as well
  others.filter.heaps.in = {"*"};
  attempt([&] { check_sum(ledgers.ask(others)); });
  others.by = GroupBy::kHeap;
  attempt([&] { answer_from_json(to_json(ledgers.ask(others))); });
  attempt([&] { ledgers.calls(others, [](const CallFacts&) {}); });
  attempt([&] { ledgers.blocks(others); });
}

}  // namespace heapledger::fuzz
