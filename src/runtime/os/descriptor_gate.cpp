#include "runtime/os/descriptor_gate.h"

#include "runtime/os/os.h"
#include "runtime/os/together.h"

namespace heapledger::runtime::os {
namespace {

constexpr int kFree = -1;
constexpr int kChanging = -2;  // being opened or closed: the number is not known to be ours or not
constexpr unsigned kPlaces = 64;
// A file operation takes microseconds, but its thread may have to wait for a processor or a disk.
// Whoever still waits after this time goes on: no program hangs because of us.
constexpr uint64_t kLimitNs = 10'000'000'000;
constexpr unsigned kTurnsPerLook = 64;
// How often a closing lets those go first who wait already, so that closing without a pause cannot
// keep us from writing.
constexpr unsigned kCourtesy = 64;

// Gives way to other threads until `done` says so; false when the time is over.
template <typename Done>
bool wait_until(Done done) {
  uint64_t limit = 0;
  for (unsigned turn = 0; !done(); ++turn) {
    if (turn % kTurnsPerLook == kTurnsPerLook - 1) {
      uint64_t now = read_clocks().monotonic_ns;
      if (limit == 0) limit = now + kLimitNs;
      if (now >= limit) return false;
    }
    yield_processor();
  }
  return true;
}

struct Gate {
  std::atomic<unsigned> held{0};
  std::atomic<unsigned> waiting{0};  // operations that have no place yet
  std::atomic<unsigned> closers{0};
  std::atomic<int> places[kPlaces];  // one more than the value, so that zero is kFree
  std::atomic<int> kept;             // likewise
};
HEAPLEDGER_TOGETHER constinit Gate gate = {};
// Closings that the calling thread is in the middle of: in a handler that interrupted one nobody
// goes on with it until the handler is done.
__thread unsigned own_closings = 0;

bool others_close() {
  return gate.closers.load(std::memory_order_seq_cst) > own_closings;
}

int at(const std::atomic<int>& place) {
  return place.load(std::memory_order_seq_cst) - 1;
}

void put(std::atomic<int>& place, int value) {
  place.store(value + 1, std::memory_order_seq_cst);
}

std::atomic<int>* take_place() {
  for (std::atomic<int>& place : gate.places) {
    int free = kFree + 1;
    if (place.compare_exchange_strong(free, kChanging + 1, std::memory_order_seq_cst)) {
      return &place;
    }
  }
  return nullptr;  // 64 operations at once: this one waits
}

}  // namespace

DescriptorHold::DescriptorHold() : signals_(block_signals()) {
  gate.held.fetch_add(1, std::memory_order_seq_cst);
  // Either the closer sees our place or we see the closer: we give way, and leave no place behind
  // while we wait, for which the closer would wait in turn.
  gate.waiting.fetch_add(1, std::memory_order_seq_cst);
  wait_until([this] {
    if (others_close()) return false;
    place_ = take_place();
    if (place_ == nullptr) return false;
    if (!others_close()) return true;
    put(*place_, kFree);
    place_ = nullptr;
    return false;
  });
  gate.waiting.fetch_sub(1, std::memory_order_seq_cst);
}

DescriptorHold::~DescriptorHold() {
  if (place_ != nullptr) put(*place_, kFree);
  gate.held.fetch_sub(1, std::memory_order_seq_cst);
  restore_signals(signals_);
}

void DescriptorHold::set(int fd) {
  if (place_ != nullptr) put(*place_, fd >= 0 ? fd : kFree);
}

void DescriptorHold::close(int fd) {
  // The number may be the program's at once: whoever asks for it meanwhile has to wait.
  if (place_ != nullptr) put(*place_, kChanging);
  close_file(fd);
}

bool descriptors_held() {
  return gate.held.load(std::memory_order_seq_cst) != 0 || at(gate.kept) != kFree;
}

bool is_our_descriptor(int fd, bool may_wait) {
  if (fd >= 0 && fd == at(gate.kept)) return true;
  if (gate.held.load(std::memory_order_seq_cst) == 0) return false;
  bool ours = false;
  wait_until([&ours, fd, may_wait] {
    bool changing = false;
    for (const std::atomic<int>& place : gate.places) {
      int value = at(place);
      ours = ours || (value == fd && fd >= 0);
      changing = changing || value == kChanging;
    }
    return ours || !changing || !may_wait;
  });
  return ours;
}

RangeClosing::RangeClosing(unsigned first, unsigned last) : first_(first), last_(last) {
  static_assert(sizeof ours_ / sizeof ours_[0] == kPlaces + 1);
  for (unsigned turn = 0; turn < kCourtesy; ++turn) {
    if (gate.waiting.load(std::memory_order_seq_cst) == 0) break;
    yield_processor();
  }
  ++own_closings;
  gate.closers.fetch_add(1, std::memory_order_seq_cst);
  wait_until([this] { return list(); });
}

RangeClosing::~RangeClosing() {
  gate.closers.fetch_sub(1, std::memory_order_seq_cst);
  --own_closings;
}

void RangeClosing::wait_for_ours() {
  // The one that is kept does not go away: it is given up.
  int kept = at(gate.kept);
  if (kept >= 0 && static_cast<unsigned>(kept) >= first_ && static_cast<unsigned>(kept) <= last_) {
    put(gate.kept, kFree);
  }
  wait_until([this] { return list() && count_ == 0; });
}

// False while a number is not known to be ours or not.
bool RangeClosing::list() {
  count_ = 0;
  add(at(gate.kept));
  for (const std::atomic<int>& place : gate.places) {
    int fd = at(place);
    if (fd == kChanging) return false;
    add(fd);
  }
  return true;
}

void RangeClosing::add(int fd) {
  auto number = static_cast<unsigned>(fd);
  if (fd < 0 || number < first_ || number > last_) return;
  unsigned before = count_++;
  for (; before > 0 && ours_[before - 1] > fd; --before) ours_[before] = ours_[before - 1];
  ours_[before] = fd;
}

void keep_descriptor(int fd) {
  put(gate.kept, fd);
}

int kept_descriptor() {
  return at(gate.kept);
}

void forget_descriptors() {
  for (std::atomic<int>& place : gate.places) put(place, kFree);
  put(gate.kept, kFree);
  gate.held.store(0, std::memory_order_seq_cst);
  gate.waiting.store(0, std::memory_order_seq_cst);
  gate.closers.store(0, std::memory_order_seq_cst);
  own_closings = 0;
}

}  // namespace heapledger::runtime::os
