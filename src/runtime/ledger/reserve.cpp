#include "runtime/ledger/reserve.h"

#include "runtime/ledger/beacon.h"
#include "runtime/ledger/file_parts.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {
namespace {

using format::kExtentBytes;

constexpr uint32_t kReserveExtents = 256;
constexpr uint32_t kNoExtent = UINT32_MAX;
constexpr uintptr_t kTakenMask = 4095;
static_assert(kReserveExtents < kTakenMask);

struct Reserve {
  // Where they are, a page's address, plus how many have been taken; 0: there are none.
  std::atomic<uintptr_t> state{0};
  uint32_t first = kNoExtent;  // in the file; the rest belongs to whoever has `changing`
  std::atomic<bool> changing{false};
};
HEAPLEDGER_TOGETHER constinit Reserve reserve;
constinit std::atomic<uint32_t> filters{0};  // of system calls: installed, or being installed

unsigned char* reserve_at(uintptr_t state) {
  return reinterpret_cast<unsigned char*>(state & ~kTakenMask);
}

// Held by whoever expects a filter, or no longer does. Waits for another, but not for long: system
// calls are still allowed here.
class ReserveChange {
 public:
  ReserveChange() {
    for (unsigned i = 0; i < 1000 && !held_; ++i) {
      if (i > 0) os::yield_processor();
      held_ = !reserve.changing.exchange(true, std::memory_order_acquire);
    }
  }
  ~ReserveChange() {
    if (held_) reserve.changing.store(false, std::memory_order_release);
  }
  ReserveChange(const ReserveChange&) = delete;
  ReserveChange& operator=(const ReserveChange&) = delete;

  explicit operator bool() const { return held_; }

 private:
  bool held_ = false;
};

void fill_reserve() {
  if (reserve.state.load(std::memory_order_relaxed) != 0) return;
  if (reserve.first == kNoExtent) reserve.first = claim_extents(kReserveExtents);
  long error = 0;
  unsigned char* at = map_extents(reserve.first, kReserveExtents, error);
  reserve.state.store(reinterpret_cast<uintptr_t>(at), std::memory_order_release);
}

// What was taken meanwhile stays; the place in the file is for the next reserve if nothing was.
void give_back_reserve() {
  uintptr_t state = reserve.state.exchange(0, std::memory_order_acq_rel);
  if (state == 0) return;
  auto taken = static_cast<uint32_t>(state & kTakenMask);
  size_t bytes = size_t{kReserveExtents - taken} * kExtentBytes;
  uint64_t offset = offset_of(reserve.first + taken);
  os::unmap(reserve_at(state) + size_t{taken} * kExtentBytes, bytes);
  with_file(0, [&](int fd) {
    os::give_back(fd, offset, bytes);
    return 0L;
  });
  if (taken != 0) reserve.first = kNoExtent;
}

}  // namespace

unsigned char* take_reserved(uint32_t count) {
  uintptr_t state = reserve.state.load(std::memory_order_acquire);
  while (reserve_at(state) != nullptr && (state & kTakenMask) + count <= kReserveExtents) {
    if (reserve.state.compare_exchange_weak(state, state + count, std::memory_order_acq_rel)) {
      return reserve_at(state) + (state & kTakenMask) * kExtentBytes;
    }
  }
  return nullptr;
}

void forget_reserve() {
  unsigned char* at = reserve_at(reserve.state.exchange(0, std::memory_order_relaxed));
  if (at != nullptr) os::unmap(at, size_t{kReserveExtents} * kExtentBytes);
  reserve.first = kNoExtent;
  reserve.changing.store(false, std::memory_order_relaxed);
}

void expect_filter() {
  ReserveChange change;
  if (change && beacon->alive != 0 && ledger_status() == Status::kRecording) fill_reserve();
  filters.fetch_add(1, std::memory_order_acq_rel);
}

void filter_refused() {
  ReserveChange change;
  if (filters.fetch_sub(1, std::memory_order_acq_rel) == 1 && change) give_back_reserve();
}

void filter_installed(format::StopReason reason) {
  filters.fetch_add(1, std::memory_order_acq_rel);
  if (beacon->alive != 0) stop_recording(reason, 0);
}

bool filter_expected() {
  return filters.load(std::memory_order_acquire) != 0;
}

}  // namespace heapledger::runtime
