// IndexReader: what accounts alone do not tell.
#include "analyzer/index/index_reader.h"
#include "analyzer/index/life_classes.h"
#include "analyzer/query/cell_rows.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/processes.h"

namespace heapledger {
namespace {

bool tells_lifetimes(const Question& question) {
  return key_of(question) == CellKey::kLifetimeClass || !question.filter.lifetime_ns.is_open();
}

}  // namespace

// Where lifetimes decide, passes have no peaks either.
const Lives* IndexReader::find_lives(const Question& question) const {
  const CellKey key = key_of(question);
  if (key == CellKey::kSize || key == CellKey::kHeap || !wants_sums_alone(question)) return nullptr;
  if (!question.wanted.no_range_peaks && !tells_lifetimes(question)) return nullptr;
  const bool by_account = key == CellKey::kAccount || question.filter.on_stacks();
  const Lives& lives = by_account ? cube_->lives : cube_->all_lives;
  return can_choose(question.filter, lives) ? &lives : nullptr;
}

LifeChoice IndexReader::choose_lives(const Question& question, const Lives& lives,
                                     const std::vector<char>& selected) const {
  LifeChoice choice;
  const Filter& filter = question.filter;
  choice.accounts = selected;
  choice.by_lifetime = tells_lifetimes(question);
  if (!filter.size.is_open()) {
    const ClassRange sizes = *size_classes_of(filter.size);
    choice.least_size = sizes.first;
    choice.most_size = sizes.last;
  }
  if (!filter.lifetime_ns.is_open()) {
    const ClassRange lifetimes = *lifetime_classes_of(filter.lifetime_ns);
    choice.least_lifetime = lifetimes.first;
    choice.most_lifetime = lifetimes.last;
  }
  const std::vector<char> processes = chosen_processes(question, set_.size(), facts_of());
  if (filter.threads.empty() && processes.empty()) return choice;
  for (const auto& [ledger, place] : lives.threads) {
    const std::vector<ThreadFacts>& threads = view_->overview.processes[ledger].threads;
    const bool fits = filter.threads.empty() ||
                      (place < threads.size() && thread_fits(filter.threads, threads[place]));
    choice.threads.push_back(fits && (processes.empty() || processes[ledger] != 0) ? 1 : 0);
  }
  return choice;
}

IndexCount IndexReader::count_lives(const Question& question, const Lives& lives,
                                    const LifeWindow& window,
                                    const std::vector<char>& selected) const {
  const LifeChoice choice = choose_lives(question, lives, selected);
  IndexCount counted;
  const CellKey key = key_of(question);
  counted.by_account = key == CellKey::kAccount;
  Paged<Cell>& cells = counted.tallied.cells;
  auto count = [&](size_t size, const auto& cell_of) {
    cells.grow_to(static_cast<uint32_t>(size));
    lives.count(window, choice, cell_of, cells);
  };
  switch (key) {
    case CellKey::kThread:
      counted.threads = lives.threads;
      count(lives.threads.size(), [](const LifeKey& life) { return life.thread; });
      sort_threads(counted.threads, counted.tallied);
      break;
    case CellKey::kSizeClass:
      count(kSizeClassCount, [](const LifeKey& life) { return uint32_t{life.size_class}; });
      break;
    case CellKey::kLifetimeClass:
      count(kLifetimeClassCount + 1,
            [](const LifeKey& life) { return uint32_t{life.lifetime_class}; });
      break;
    case CellKey::kLedger: {
      const ProcessGroups groups = group_processes(question.by, set_.size(), facts_of());
      counted.first_of_group = groups.first;
      count(groups.first.size(), [&](const LifeKey& life) {
        return groups.of_ledger[lives.threads[life.thread].first];
      });
      break;
    }
    case CellKey::kAccount:
      count(sites_.size(), [](const LifeKey& life) { return life.account; });
      break;
    default:
      count(1, [](const LifeKey&) { return 0u; });
  }
  for (uint32_t i = 0; i < cells.size() && !lives.spreads.empty(); ++i) {
    if (cells[i].time_ns > 0) counted.tallied.has_time = true;
  }
  return counted;
}

// How long what is live will live, nobody knows who has not read on.
std::optional<IndexCount> IndexReader::count_whole(const Question& question,
                                                   const std::vector<char>& selected) const {
  const Lives* lives = find_lives(question);
  if (lives == nullptr || tells_lifetimes(question)) return std::nullopt;
  constexpr uint32_t kWhereNothingIsLive = UINT32_MAX;
  return count_lives(question, *lives, {0, UINT32_MAX, kWhereNothingIsLive}, selected);
}

}  // namespace heapledger
