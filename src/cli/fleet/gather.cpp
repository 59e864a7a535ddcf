#include "cli/fleet/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/query/processes.h"
#include "cli/fleet/reduced.h"
#include "cli/shared/progress_line.h"
#include "exporters/stack_ids.h"
#include "text/text.h"

namespace heapledger::cli::fleet {
namespace {

std::string base_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// What is wrong with a ledger that could be read.
std::string trouble_of(const LedgerFacts& facts) {
  if (facts.stopped) return *facts.stopped;
  if (!facts.problems.empty()) return facts.problems.front();
  if (facts.totals.missed > 0) return counted(facts.totals.missed, "call") + " missed";
  return facts.still_running ? "still running" : "";
}

Statistics of_one(Holder holder) {
  Statistics statistics;
  statistics.add(holder);
  return statistics;
}

class Gatherer {
 public:
  Gatherer(std::vector<std::string> paths, const FleetQuestion& question)
      : paths_(std::move(paths)), question_(question), progress_(question.names.progress) {
    gathered_.processes.resize(paths_.size());
  }

  Gathered run() {
    std::vector<std::jthread> workers;
    for (size_t i = 1; i < std::min(question_.workers, paths_.size()); ++i) {
      workers.emplace_back([this] { work(); });
    }
    work();
    workers.clear();
    progress_.clear();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(gathered_);
  }

 private:
  void work() {
    for (size_t i; (i = next_++) < paths_.size();) {
      try {
        read(static_cast<uint32_t>(i));
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kQuestion) return give_up();
        gathered_.processes[i].path = paths_[i];
        gathered_.processes[i].trouble = error.what();
      } catch (...) {
        return give_up();
      }
      std::lock_guard lock(mutex_);
      progress_.count(++done_, paths_.size(), "reading", "ledger");
    }
  }

  void give_up() {
    std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_ = paths_.size();
  }

  void read(uint32_t number) {
    NameOptions names = question_.names;
    names.progress = false;
    Opened opened(std::vector<std::string>{paths_[number]}, names);
    Ledgers& ledgers = opened.ledgers();
    const LedgerFacts& facts = ledgers.facts().front();
    Process& process = gathered_.processes[number];
    process = {
        facts.path,   base_of(facts.executable), facts.host, facts.job, facts.rank,  facts.pid,
        facts.totals, trouble_of(facts),         true,       true,      facts.exited};
    Question question = question_.question;
    question.top = SIZE_MAX;
    const std::vector<char> chosen =
        chosen_processes(question, 1, [&facts](uint32_t) -> const LedgerFacts& { return facts; });
    process.was_chosen = chosen.empty() || chosen.front() != 0;
    if (!process.was_chosen) return;
    const Answer answer = ledgers.ask(question);
    std::vector<StackHash> ids;
    if (question.by == GroupBy::kSite) ids = stack_hashes(ledgers.sites());
    const uint64_t all = value_of(answer.totals, question.sort);
    std::lock_guard lock(mutex_);
    ProgramGroups& groups = gathered_.programs[{facts.rank.has_value(), process.program}];
    groups.add_all(of_one({number, all}));
    uint64_t kept = 0, rest = 0;
    for (const Row& row : answer.rows) {  // the largest first
      const uint64_t value = value_of(row.all, question.sort);
      const bool enough = question_.keep < 1 &&
                          static_cast<double>(kept) >= question_.keep * static_cast<double>(all);
      (enough ? rest : kept) += value;
      if (enough || value == 0) continue;
      const std::string id = ids.empty() ? "" : hex_digits(ids[row.site].bytes());
      groups.add({row.name, id, row.function, row.file, row.line, of_one({number, value})});
    }
    if (rest > 0) groups.add({"[the rest]", "", "", "", 0, of_one({number, rest})});
  }

  const std::vector<std::string> paths_;
  const FleetQuestion& question_;
  ProgressLine progress_;
  Gathered gathered_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  size_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::string label_of(const Process& process) {
  if (process.rank) return fmt::format("rank {}", *process.rank);
  return fmt::format("{} on {}", process.pid, process.host);
}

Gathered gather(const std::vector<std::string>& paths, const FleetQuestion& question) {
  std::vector<std::string> ledgers;
  Gathered all;
  for (const std::string& path : paths) {
    if (!is_reduced(path)) {
      ledgers.push_back(path);
      continue;
    }
    if (!ledgers.empty()) all.add(Gatherer(std::exchange(ledgers, {}), question).run());
    all.add(read_reduced(path, question));
  }
  if (!ledgers.empty()) all.add(Gatherer(ledgers, question).run());
  return all;
}

std::vector<std::string> missing_ranks(const Fleet& fleet) {
  constexpr size_t kMost = 20;
  std::map<std::string, std::set<uint64_t>> jobs;
  for (const Process& process : fleet.processes) {
    if (process.rank) jobs[process.job].insert(*process.rank);
  }
  std::vector<std::string> missing;
  for (const auto& [job, ranks] : jobs) {
    const std::string of = jobs.size() > 1 ? " of job " + job : "";
    uint64_t next = 0;
    for (uint64_t rank : ranks) {
      for (; next < rank && missing.size() < kMost; ++next) {
        missing.push_back(fmt::format("rank {}{}", next, of));
      }
      next = rank + 1;
    }
  }
  return missing;
}

}  // namespace heapledger::cli::fleet
