#include "cores/reachability.h"

#include <algorithm>

#include "cores/reachability_interior.h"
#include "cores/reachability_roots.h"
#include "cores/reachability_scan.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kChunkFlags = 7;

enum class State : uint8_t {
  kNotFound,
  kLost,   // nothing leads here from a root; whether another lost block does is not known yet
  kAlone,  // lost, and no other does
  kUnder,  // another does
  kMaybe,  // something leads into the middle
  kFound,
};

Reach reach_of(State state) {
  switch (state) {
    case State::kUnder:
      return Reach::kIndirectlyLost;
    case State::kMaybe:
      return Reach::kPossiblyLost;
    case State::kFound:
      return Reach::kReachable;
    case State::kNotFound:
    case State::kLost:
    case State::kAlone:
      break;
  }
  return Reach::kDefinitelyLost;
}

class Search {
 public:
  Search(const Memory& memory, const LiveHeap& heap)
      : memory_(memory),
        word_(memory.shape().word_bytes),
        heap_(heap),
        blocks_(heap.blocks),
        scan_(memory, blocks_),
        interior_(memory),
        states_(blocks_.size(), State::kNotFound),
        kept_(blocks_.size()) {}

  void find_reachable(Reachability& answer);
  void find_possible();
  void find_lost();
  void fill(Reachability& answer) const;

 private:
  // For every pointer in the blocks that wait, until none does: whoever finds one adds it.
  template <typename Use>
  void each_pointer_of_waiting(const Use& use);

  // Goes on from what waits to all that it keeps and is in state `from`, which gets into state
  // `to`.
  template <typename Use>
  void follow(State from, State to, const Use& use);
  void meet(uint32_t place, uint64_t pointer);
  bool is_note_of_free_memory(uint32_t place, uint64_t pointer) const;
  uint64_t bytes_of(uint32_t place) const { return heap_.blocks[blocks_.number(place)].size; }

  const Memory& memory_;
  size_t word_;
  const LiveHeap& heap_;
  BlocksByAddress blocks_;
  PointerScan scan_;
  InteriorPointers interior_;
  std::vector<State> states_;
  std::vector<ReachTotal> kept_;
  std::vector<uint32_t> waiting_;  // found, but not looked into yet
};

// In rounds, each by address.
template <typename Use>
void Search::each_pointer_of_waiting(const Use& use) {
  std::vector<uint32_t> round;
  while (!waiting_.empty()) {
    round.clear();
    round.swap(waiting_);
    std::sort(round.begin(), round.end());
    scan_.each_pointer_of(round, use);
  }
}

void Search::meet(uint32_t place, uint64_t pointer) {
  State& state = states_[place];
  if (state == State::kFound) return;
  uint64_t start = blocks_.start(place);
  if (pointer == start || interior_.as_start(start, blocks_.end(place) - start, pointer)) {
    state = State::kFound;
    waiting_.push_back(place);
  } else {
    state = State::kMaybe;
  }
}

// glibc's lists name free chunks by the word before their size, which is the last of the block
// before them.
bool Search::is_note_of_free_memory(uint32_t place, uint64_t pointer) const {
  uint64_t start = blocks_.start(place);
  if (pointer == start || start < 2 * word_) return false;
  auto size = memory_.word(start - word_);
  return size && pointer == start - 2 * word_ + (*size & ~kChunkFlags);
}

void Search::find_reachable(Reachability& answer) {
  Roots roots = roots_of(memory_, heap_, blocks_);
  auto use = [this](uint32_t place, uint64_t pointer) { meet(place, pointer); };
  auto use_of_allocator = [this](uint32_t place, uint64_t pointer) {
    if (!is_note_of_free_memory(place, pointer)) meet(place, pointer);
  };
  for (uint64_t word : roots.words) {
    uint32_t place = blocks_.find(word);
    if (place != BlocksByAddress::kNone) meet(place, word);
  }
  for (const Stretch& root : roots.memory) answer.root_bytes += root.end - root.start;
  std::vector<Stretch> others = without(roots.memory, roots.allocator);
  for (const Stretch& root : others) scan_.each_pointer(root, use);
  for (const Stretch& root : without(roots.memory, others))
    scan_.each_pointer(root, use_of_allocator);
  each_pointer_of_waiting(use);
}

template <typename Use>
void Search::follow(State from, State to, const Use& use) {
  each_pointer_of_waiting([&](uint32_t other, uint64_t) {
    if (states_[other] != from) return;
    states_[other] = to;
    use(other);
    waiting_.push_back(other);
  });
}

void Search::find_possible() {
  for (uint32_t place = 0; place < states_.size(); ++place) {
    if (states_[place] == State::kMaybe) waiting_.push_back(place);
  }
  follow(State::kNotFound, State::kMaybe, [](uint32_t) {});
}

// Goes from the lost blocks, by address, to what they keep and was not met before. Whatever one of
// those firsts can get at was met by it or an earlier one, so no first is kept by an earlier one;
// then the same again from the last of them to the first, and none is kept by a later one either.
void Search::find_lost() {
  std::vector<uint32_t> firsts;
  for (uint32_t first = 0; first < states_.size(); ++first) {
    if (states_[first] != State::kNotFound) continue;
    firsts.push_back(first);
    states_[first] = State::kLost;
    waiting_.push_back(first);
    follow(State::kNotFound, State::kLost, [](uint32_t) {});
  }
  for (size_t i = firsts.size(); i > 0; --i) {
    uint32_t first = firsts[i - 1];
    if (states_[first] != State::kLost) continue;
    states_[first] = State::kAlone;
    ReachTotal& kept = kept_[first];
    waiting_.push_back(first);
    follow(State::kLost, State::kUnder, [&](uint32_t other) {
      kept.blocks += 1;
      kept.bytes += bytes_of(other);
    });
  }
}

void Search::fill(Reachability& answer) const {
  answer.blocks.assign(heap_.blocks.size(), Reach::kReachable);
  answer.kept.resize(heap_.blocks.size());
  for (uint32_t place = 0; place < states_.size(); ++place) {
    uint32_t number = blocks_.number(place);
    answer.blocks[number] = reach_of(states_[place]);
    answer.kept[number] = kept_[place];
  }
  for (size_t i = 0; i < heap_.blocks.size(); ++i) {
    ReachTotal& total = answer.totals[static_cast<size_t>(answer.blocks[i])];
    total.blocks += 1;
    total.bytes += heap_.blocks[i].size;
  }
  answer.missing_bytes = scan_.missing_bytes();
}

void add_problems(const Memory& memory, const LiveHeap& heap, Reachability& answer) {
  auto say = [&](const char* text) { answer.problems.emplace_back(text); };
  if (memory.threads().empty() && memory.modules().empty()) {
    say("nothing tells threads and programs in this memory: all of it outside of the heap is taken "
        "as in use, and registers are not known");
  } else if (memory.threads().empty()) {
    say("no threads are known here: what only registers hold is taken as lost");
  }
  if (heap.sample_bytes > 0 || heap.sample_calls > 0) {
    say("only a sample of the blocks is known: free memory cannot be told from blocks, so more may "
        "be lost than is shown");
  }
  if (heap.missed > 0) {
    say("some blocks could not be entered: what only those keep is taken as lost");
  }
  if (answer.missing_bytes > 0) {
    answer.problems.push_back(std::to_string(answer.missing_bytes) +
                              " bytes that had to be looked through are missing: what only those "
                              "keep is taken as lost");
  }
}

}  // namespace

std::string_view name_of(Reach reach) {
  switch (reach) {
    case Reach::kDefinitelyLost:
      return "definitely lost";
    case Reach::kIndirectlyLost:
      return "indirectly lost";
    case Reach::kPossiblyLost:
      return "possibly lost";
    case Reach::kReachable:
      break;
  }
  return "reachable";
}

Reachability reach(const Memory& memory, const LiveHeap& heap) {
  Reachability answer;
  Search search(memory, heap);
  search.find_reachable(answer);
  search.find_possible();
  search.find_lost();
  search.fill(answer);
  add_problems(memory, heap, answer);
  return answer;
}

}  // namespace heapledger::cores
