#include "cli/fleet/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/query/processes.h"
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

// Groups of one program, by all that tells them apart.
class ProgramGroups {
 public:
  void add(const Row& row, const std::string& id, Holder holder) {
    if (holder.value == 0) return;
    const std::string key = id + fmt::format("{}\n{}\n{}", row.name, row.file, row.line);
    const auto [found, is_new] = places_.try_emplace(key, groups_.size());
    if (is_new) groups_.push_back({row.name, hex_digits(id), row.function, row.file, row.line, {}});
    groups_[found->second].statistics.add(holder);
  }
  void add_all(Holder holder) { all_.add(holder); }
  std::vector<Group>& groups() { return groups_; }
  const Statistics& all() const { return all_; }

 private:
  std::unordered_map<std::string, size_t> places_;
  std::vector<Group> groups_;
  Statistics all_;
};

class Gatherer {
 public:
  Gatherer(const std::vector<std::string>& paths, const FleetQuestion& question)
      : paths_(paths), question_(question), progress_(question.names.progress) {
    fleet_.processes.resize(paths.size());
  }

  Fleet run() {
    std::vector<std::jthread> workers;
    for (size_t i = 1; i < std::min(question_.workers, paths_.size()); ++i) {
      workers.emplace_back([this] { work(); });
    }
    work();
    workers.clear();
    progress_.clear();
    if (failure_) std::rethrow_exception(failure_);
    choose();
    return std::move(fleet_);
  }

 private:
  void work() {
    for (size_t i; (i = next_++) < paths_.size();) {
      try {
        read(static_cast<uint32_t>(i));
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kQuestion) return give_up();
        fleet_.processes[i].path = paths_[i];
        fleet_.processes[i].trouble = error.what();
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
    Process& process = fleet_.processes[number];
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
    std::lock_guard lock(mutex_);
    // Ranks are one thing, what starts them another.
    ProgramGroups& groups = programs_[{facts.rank.has_value(), process.program}];
    groups.add_all({number, value_of(answer.totals, question.sort)});
    for (const Row& row : answer.rows) {
      groups.add(row, ids.empty() ? "" : ids[row.site].bytes(),
                 {number, value_of(row.all, question.sort)});
    }
  }

  // What most of the ranks run, or where there are none most of the processes; of several programs
  // that all of them run, such as a script and what it starts, the one that allocates most.
  void choose() {
    struct Runs {
      std::set<std::pair<std::string, uint64_t>> who;
      uint64_t bytes = 0;
    };
    std::map<std::pair<bool, std::string>, Runs> many;
    for (const Process& process : fleet_.processes) {
      const bool asked = question_.program.empty() || question_.program == process.program;
      if (!process.was_read || !process.was_chosen || !asked) continue;
      Runs& runs = many[{process.rank.has_value(), process.program}];
      runs.who.emplace(process.rank ? process.job : process.path, process.rank.value_or(0));
      runs.bytes += process.totals.bytes;
    }
    if (many.empty()) {
      if (!question_.program.empty()) {
        throw Error("no process runs " + quoted(question_.program), ErrorKind::kQuestion);
      }
      const bool none_read = std::none_of(fleet_.processes.begin(), fleet_.processes.end(),
                                          [](const Process& one) { return one.was_read; });
      if (none_read) throw Error(fleet_.processes.front().trouble, ErrorKind::kData);
      throw Error("the filter leaves no process", ErrorKind::kQuestion);
    }
    auto size_of = [](const auto& one) {
      return std::tuple(one.first.first, one.second.who.size(), one.second.bytes);
    };
    const auto chosen = std::max_element(
        many.begin(), many.end(),
        [&size_of](const auto& a, const auto& b) { return size_of(a) < size_of(b); });
    fleet_.program = chosen->first.second;
    for (uint32_t i = 0; i < fleet_.processes.size(); ++i) {
      const Process& process = fleet_.processes[i];
      const std::pair<bool, std::string> kind = {process.rank.has_value(), process.program};
      if (process.was_read && process.was_chosen && kind == chosen->first)
        fleet_.counted.push_back(i);
    }
    fleet_.groups = std::move(programs_[chosen->first].groups());
    fleet_.all = programs_[chosen->first].all();
    std::sort(fleet_.groups.begin(), fleet_.groups.end(), [](const Group& a, const Group& b) {
      const uint64_t one = a.statistics.total(), other = b.statistics.total();
      if (one != other) return one > other;
      return std::tie(a.name, a.file, a.line, a.id) < std::tie(b.name, b.file, b.line, b.id);
    });
  }

  const std::vector<std::string>& paths_;
  const FleetQuestion& question_;
  ProgressLine progress_;
  Fleet fleet_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  size_t done_ = 0;
  std::map<std::pair<bool, std::string>, ProgramGroups> programs_;
  std::exception_ptr failure_;
};

}  // namespace

std::string label_of(const Process& process) {
  if (process.rank) return fmt::format("rank {}", *process.rank);
  return fmt::format("{} on {}", process.pid, process.host);
}

Fleet gather(const std::vector<std::string>& paths, const FleetQuestion& question) {
  return Gatherer(paths, question).run();
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
