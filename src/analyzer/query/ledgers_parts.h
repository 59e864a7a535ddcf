// What Ledgers keeps between questions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/inheritance.h"
#include "analyzer/ledger_set.h"
#include "analyzer/overview_book.h"
#include "analyzer/query.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"
#include "analyzer/query/stack_names.h"
#include "analyzer/query/tally.h"

namespace heapledger {

struct Ledgers::Parts {
  Parts(std::vector<Opener> openers, Options options)
      : set(std::move(openers), std::move(options)) {}

  // What a question has selected and counted, before it is made an answer.
  struct Counted {
    Tallied tallied;
    std::vector<char> selected;  // accounts, by their stacks; empty: all
    Grouping grouping;
    std::vector<uint64_t> sizes;    // by cell
    std::vector<ThreadId> threads;  // likewise
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
  };

  void read();
  void add_up();
  void list_groups();
  StackNames& names();
  Watch resolve(const MomentSpec& moment);

  Counted count(const Question& question);
  Plan make_plan(const Question& question, const Counted& counted);
  void run(const Question& question, const Plan& plan, Counted& counted);
  bool is_in_overview(const Question& question) const;
  void take_from_overview(const Question& question, Counted& counted) const;
  Answer answer(const Question& question, Counted& counted);

  LedgerSet set;
  Analysis analysis;
  Overview overview;
  std::unique_ptr<OverviewBook> book;  // since the first pass
  std::vector<uint32_t> sites;         // by account
  bool groups_listed = false;
  const SymbolTable* symbols = nullptr;
  std::function<std::string(std::string_view)> rename;
  std::unique_ptr<StackNames> stack_names;
};

}  // namespace heapledger
