// How fast ledgers are read: the overview that a report begins with, and a few questions. Prints
// entries per second of processor time and the most memory used.
//
//   analyzer_speed FILE… [--questions]
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "analyzer/query.h"

namespace {

using namespace heapledger;

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long most_memory_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

template <typename Act>
void measure(const char* name, uint64_t& entries, Ledgers& ledgers, Act&& act) {
  double before = processor_seconds();
  act();
  double seconds = processor_seconds() - before;
  if (entries == 0) {
    for (const LedgerFacts& facts : ledgers.facts()) entries += facts.entries;
  }
  std::printf("%-34s %7.2f s %7.1f M entries/s %6ld MiB so far\n", name, seconds,
              static_cast<double>(entries) / seconds / 1e6, most_memory_mib());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  bool questions = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--questions") == 0) {
      questions = true;
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  Ledgers ledgers(paths, {});
  uint64_t entries = 0;
  measure("overview", entries, ledgers, [&] { ledgers.overview(); });
  Question question;
  question.top = 10;
  auto ask = [&] { ledgers.ask(question); };
  measure("top sites at the peak", entries, ledgers, ask);
  question.by = GroupBy::kFunction;
  measure("functions at the peak", entries, ledgers, ask);
  if (!questions) return 0;
  question.tree = TreeShape::kTopDown;
  measure("tree, top down", entries, ledgers, ask);
  question.tree = TreeShape::kBottomUp;
  measure("tree, bottom up", entries, ledgers, ask);
  question.tree = TreeShape::kNone;
  question.wanted.own_peaks = true;
  measure("functions, with their own peaks", entries, ledgers, ask);
  question.wanted = {};
  question.by = GroupBy::kSite;
  question.at = parse_moment("50%");
  question.only_live = true;
  measure("live sites at half time", entries, ledgers, ask);
  question.only_live = false;
  measure("sites at half time", entries, ledgers, ask);
  question.wanted.lifetimes = question.wanted.sizes = question.wanted.threads = true;
  measure("the same with all measures", entries, ledgers, ask);
  question.wanted = {};
  question.filter = parse_filter("lifetime<1ms,size>=64");
  measure("the same with a filter", entries, ledgers, ask);
  question.filter = {};
  for (GroupBy by :
       {GroupBy::kThread, GroupBy::kSize, GroupBy::kSizeClass, GroupBy::kLifetimeClass}) {
    question.by = by;
    measure(std::string(name_of(by)).c_str(), entries, ledgers, ask);
  }
  measure("where RSS goes", entries, ledgers, [&] { ledgers.where_rss(parse_moment("peak")); });
  return 0;
}
