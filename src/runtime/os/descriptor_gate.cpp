#include "runtime/os/descriptor_gate.h"

#include "runtime/os/os.h"

namespace heapledger::runtime::os {
namespace {

constexpr int kFree = -1;
constexpr int kChanging = -2;  // being opened or closed: the number is not known to be ours or not
constexpr unsigned kPlaces = 64;
// A file operation takes microseconds; whoever still waits after this many turns goes on.
constexpr unsigned kMaxTurns = 10'000;

struct Gate {
  std::atomic<unsigned> held{0};
  std::atomic<unsigned> closers{0};
  std::atomic<int> places[kPlaces];  // one more than the value, so that zero is kFree
};
constinit Gate gate = {};

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
  return nullptr;  // 64 operations at once: this one goes unprotected
}

bool in_range(unsigned first, unsigned last) {
  for (const std::atomic<int>& place : gate.places) {
    int fd = at(place);
    if (fd == kChanging) return true;
    if (fd >= 0 && static_cast<unsigned>(fd) >= first && static_cast<unsigned>(fd) <= last) {
      return true;
    }
  }
  return false;
}

}  // namespace

DescriptorHold::DescriptorHold() {
  gate.held.fetch_add(1, std::memory_order_seq_cst);
  place_ = take_place();
  // Either the closer sees our place or we see the closer: we give way.
  for (unsigned turn = 0; gate.closers.load(std::memory_order_seq_cst) != 0 && turn < kMaxTurns;
       ++turn) {
    if (place_ != nullptr) put(*place_, kFree);
    yield_processor();
    place_ = take_place();
  }
}

DescriptorHold::~DescriptorHold() {
  if (place_ != nullptr) put(*place_, kFree);
  gate.held.fetch_sub(1, std::memory_order_seq_cst);
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
  return gate.held.load(std::memory_order_seq_cst) != 0;
}

bool is_our_descriptor(int fd, bool may_wait) {
  for (unsigned turn = 0; turn < kMaxTurns; ++turn) {
    bool changing = false;
    for (const std::atomic<int>& place : gate.places) {
      int value = at(place);
      if (value == fd && fd >= 0) return true;
      changing = changing || value == kChanging;
    }
    if (!changing || !may_wait) return false;
    yield_processor();
  }
  return false;
}

RangeClosing::RangeClosing(unsigned first, unsigned last) {
  gate.closers.fetch_add(1, std::memory_order_seq_cst);
  for (unsigned turn = 0; in_range(first, last) && turn < kMaxTurns; ++turn) yield_processor();
}

RangeClosing::~RangeClosing() {
  gate.closers.fetch_sub(1, std::memory_order_seq_cst);
}

void forget_descriptors() {
  for (std::atomic<int>& place : gate.places) put(place, kFree);
  gate.held.store(0, std::memory_order_seq_cst);
  gate.closers.store(0, std::memory_order_seq_cst);
}

}  // namespace heapledger::runtime::os
