#include "cli/core/leaks.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "cli/core/leaks_parts.h"
#include "cli/core/views.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/opened.h"
#include "cli/shared/pager.h"
#include "cli/shared/problems.h"
#include "cores/to_ledger.h"

namespace heapledger::cli::core {
namespace {

using cores::Reach;

// One ledger for all classes, so that names are looked up once: the class of a block takes the
// place of its thread, which questions can choose by.
void put_classes_for_threads(cores::LiveHeap& heap, const cores::Reachability& found) {
  heap.threads.assign(1, {});
  for (size_t i = 0; i < cores::kReachClasses; ++i) {
    heap.threads.push_back(
        {static_cast<uint32_t>(i + 1), std::string(name_of(static_cast<Reach>(i)))});
  }
  for (size_t i = 0; i < heap.blocks.size(); ++i) {
    heap.blocks[i].thread = static_cast<uint32_t>(found.blocks[i]) + 1;
  }
  heap.has_accounts = false;
  heap.rss_bytes = 0;
}

NeverFreed ask_class(Ledgers& ledgers, Reach reach, const LeaksView& view) {
  constexpr size_t kLostSites = 20;
  constexpr size_t kReachableSites = 5;
  bool lost = reach != Reach::kReachable;
  Question question;
  question.filter = view.asked.question.filter;
  question.filter.threads = {};
  question.filter.threads.in.emplace_back(name_of(reach));
  question.top = view.asked.top_or(view.json ? SIZE_MAX : lost ? kLostSites : kReachableSites);
  return ledgers.never_freed(lost ? view.asked.suppressions : Suppressions(), question);
}

}  // namespace

int show_leaks(const cores::Memory& memory, cores::LiveHeap heap, const std::string& name,
               const HeapOptions& options, bool running) {
  LeaksView view{understand(options.view.words), options.view.json, running};
  if (!view.asked.question.filter.threads.empty()) {
    throw Error("with --leaks, blocks cannot be chosen by thread", ErrorKind::kQuestion);
  }
  Leaks leaks;
  leaks.source = heap.source;
  leaks.pid = heap.pid;
  leaks.executable = heap.executable;
  leaks.has_stacks = heap.has_stacks;
  leaks.found = cores::reach(memory, heap);
  bool damaged = !heap.problems.empty();
  put_classes_for_threads(heap, leaks.found);
  TemporaryFile file(name);
  std::vector<std::string> problems = cores::write_ledger(heap, file.path());
  heap = {};
  Opened opened({file.path()}, options.view.names);
  for (size_t i = 0; i < cores::kReachClasses; ++i) {
    leaks.classes[i] = ask_class(opened.ledgers(), static_cast<Reach>(i), view);
  }
  std::string text = view.json ? json_line(leaks_json(opened.ledgers(), leaks, view)) + "\n"
                               : leaks_text(opened.ledgers(), leaks, view, Page::for_stdout());
  Paged paged(options.view.no_pager || view.json);
  paged.write(text);
  paged.finish();
  std::fflush(stdout);
  problems.insert(problems.end(), leaks.found.problems.begin(), leaks.found.problems.end());
  tell_problems(problems, options.quiet);
  return std::max(opened.warn(), damaged ? kExitBadData : 0);
}

}  // namespace heapledger::cli::core
