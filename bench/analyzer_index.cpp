// How long the index takes to make, and to answer what a page asks while somebody drags a cursor:
// percentiles of processor time over random edges. Names are those that the ledgers have stored.
//
//   analyzer_index FILE… [--questions N] [--only NAME]
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analyzer/naming.h"
#include "analyzer/query.h"

namespace {

using namespace heapledger;

double processor_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

long most_memory_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

template <typename Act>
double measure(const char* name, Act&& act) {
  const double before = processor_ms();
  act();
  const double ms = processor_ms() - before;
  std::printf("%-34s %9.1f ms %6ld MiB so far\n", name, ms, most_memory_mib());
  std::fflush(stdout);
  return ms;
}

struct Asking {
  const char* name;
  std::function<void(Question&)> change;
};

void make_tree(Question& question, TreeShape shape) {
  question.tree = shape;
  question.most_nodes = 5000;
  question.least_share = 0;
}

const std::vector<Asking>& all_askings() {
  static const std::vector<Asking> all = {
      {"tree, top down", [](Question& q) { make_tree(q, TreeShape::kTopDown); }},
      {"tree, bottom up", [](Question& q) { make_tree(q, TreeShape::kBottomUp); }},
      {"by site", [](Question& q) { q.by = GroupBy::kSite; }},
      {"by function", [](Question& q) { q.by = GroupBy::kFunction; }},
      {"by owner", [](Question& q) { q.by = GroupBy::kOwner; }},
      {"by line", [](Question& q) { q.by = GroupBy::kLine; }},
      {"by module", [](Question& q) { q.by = GroupBy::kModule; }},
      {"by part", [](Question& q) { q.by = GroupBy::kPart; }},
      {"filtered, by function",
       [](Question& q) {
         q.by = GroupBy::kFunction;
         q.filter = parse_filter("function=*a*");
       }},
      {"filtered, tree",
       [](Question& q) {
         make_tree(q, TreeShape::kTopDown);
         q.filter = parse_filter("function=*a*");
       }},
  };
  return all;
}

class Times {
 public:
  template <typename Act>
  void add(Act&& act) {
    const double before = processor_ms();
    act();
    times_.push_back(processor_ms() - before);
  }
  void print(const std::string& name) {
    const double first = times_.front();
    std::sort(times_.begin(), times_.end());
    auto at = [this](size_t percent) { return times_[(times_.size() - 1) * percent / 100]; };
    std::printf("%-34s %7.1f %7.1f %7.1f %7.1f\n", name.c_str(), first, at(50), at(95),
                times_.back());
    std::fflush(stdout);
  }

 private:
  std::vector<double> times_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  int questions = 40;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--questions") == 0 && i + 1 < argc) {
      questions = std::max(1, std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      only = argv[++i];
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  const double alone = measure("overview alone", [&] { Ledgers(paths, {}).overview(); });
  Ledgers ledgers(paths, {});
  const double both = measure("overview and index", [&] { ledgers.make_index(); });
  const SymbolTable symbols = name_sites(ledgers.sites(), stored_symbols(paths), {});
  ledgers.use_symbols(&symbols);
  const Edges edges = ledgers.edges();
  if (edges.count < 2) {
    std::fprintf(stderr, "these ledgers can have no index\n");
    return 1;
  }
  std::printf("%u edges; with the index %.2f times as long\n\n", edges.count, both / alone);
  std::printf("%-34s %7s %7s %7s %7s  ms\n", "", "first", "p50", "p95", "most");
  std::mt19937 random(1);
  auto moment = [&] {
    const auto edge = static_cast<uint32_t>(random() % (edges.count - 1));
    return MomentSpec{MomentSpec::Kind::kTime, edges.time_of(edge), 0, {}};
  };
  for (const Asking& asking : all_askings()) {
    if (!only.empty() && only != asking.name) continue;
    Times at_edges, ranges;
    for (int i = 0; i < questions; ++i) {
      Question question;
      question.top = 200;
      asking.change(question);
      question.at = moment();
      at_edges.add([&] { ledgers.ask(question); });
      MomentSpec from = moment(), to = moment();
      if (from.time_ns > to.time_ns) std::swap(from, to);
      question.between = {from, to};
      question.sort = Measure::kBytes;
      question.wanted.no_range_peaks = true;
      ranges.add([&] { ledgers.ask(question); });
    }
    at_edges.print(std::string("live at an edge, ") + asking.name);
    ranges.print(std::string("of a range, ") + asking.name);
  }
  Times plain, filtered;
  for (int i = 0; i < questions; ++i) {
    Question question;
    plain.add([&] { ledgers.timeline(question); });
    question.filter = parse_filter(i % 2 == 0 ? "function=*a*" : "function=!*e*");
    filtered.add([&] { ledgers.timeline(question); });
  }
  plain.print("timeline");
  filtered.print("timeline, filtered");
  return 0;
}
