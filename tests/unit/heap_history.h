// Random histories of a heap with several threads, as a ledger and as what really happened, for
// tests of what is done again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ledger_builder.h"

namespace heapledger::test {

struct HistoryOptions {
  uint64_t seed = 1;
  uint32_t threads = 4;
  int calls = 5000;
  uint64_t too_early_ns = 0;       // stamps are up to this much too early …
  uint64_t most_between_ns = 100;  // … where calls are so far apart
  uint32_t keep_unused = 0;        // so many addresses are kept before one is used again
  bool resizes_in_place = true;
  bool loses = false;        // some frees are not in the ledger
  bool has_unknown = false;  // some blocks were allocated before
};

// One call, in the order in which it happened.
struct HistoryCall {
  format::Kind kind = format::Kind::kMalloc;
  uint32_t thread = 0;
  uint64_t size = 0;      // allocated
  uint64_t old_size = 0;  // freed
  bool fails = false;
  bool is_unknown = false;  // of a block that was allocated before
  bool is_null = false;     // free(NULL)
  uint64_t live_bytes = 0;  // after it
  uint64_t live_blocks = 0;
};

class HeapHistory {
 public:
  explicit HeapHistory(const HistoryOptions& options) : options_(options), random_(options.seed) {
    last_.resize(options.threads);
    for (uint32_t t = 0; t < options.threads; ++t) {
      ledger_.window(t).thread(0, t, 500 + t, "thread" + std::to_string(t));
    }
    for (int i = 0; i < options.calls; ++i) step();
  }

  std::string bytes() { return ledger_.bytes(); }
  const std::vector<HistoryCall>& calls() const { return calls_; }
  uint64_t lost() const { return lost_; }
  uint64_t peak_bytes() const {
    uint64_t peak = 0;
    for (const HistoryCall& call : calls_) peak = std::max(peak, call.live_bytes);
    return peak;
  }

 private:
  using Kind = format::Kind;

  uint64_t draw(uint64_t below) { return random_() % below; }

  uint64_t stamp(uint32_t thread) {
    time_ += 1 + draw(options_.most_between_ns);
    uint64_t early = options_.too_early_ns == 0 ? 0 : draw(options_.too_early_ns);
    last_[thread] = std::max(last_[thread], time_ - std::min(early, time_));
    return last_[thread];
  }

  uint64_t fresh() {
    if (unused_.size() > options_.keep_unused && draw(4) != 0) {
      // The last one is the first to be used again, unless some have to be kept.
      size_t at = options_.keep_unused == 0 ? unused_.size() - 1 : 0;
      uint64_t address = unused_[at];
      unused_.erase(unused_.begin() + static_cast<std::ptrdiff_t>(at));
      return address;
    }
    next_ += 0x40;
    return next_;
  }

  void step() {
    HistoryCall call;
    call.thread = static_cast<uint32_t>(draw(options_.threads));
    WindowBuilder& to = ledger_.window(call.thread);
    const uint64_t time = stamp(call.thread);
    const uint64_t what = draw(100);
    const bool grows = calls_.size() / 700 % 2 == 0;
    if (what == 0) {
      fail(call, to, time);
    } else if (what == 1) {
      call.kind = Kind::kFree;
      call.is_null = true;
      to.free(time, 0);
    } else if (what == 2 && options_.has_unknown) {
      unknown(call, to, time);
    } else if (live_.empty() || what < (grows ? 50u : 35u)) {
      allocate(call, to, time);
    } else if (what < 85) {
      free(call, to, time);
    } else {
      resize(call, to, time);
    }
    call.live_bytes = live_bytes_;
    call.live_blocks = live_.size();
    calls_.push_back(call);
  }

  void fail(HistoryCall& call, WindowBuilder& to, uint64_t time) {
    call.kind = draw(2) == 0 ? Kind::kMalloc : Kind::kCalloc;
    call.fails = true;
    call.size = uint64_t{1} << (33 + draw(20));
    if (call.kind == Kind::kMalloc) {
      to.malloc(time, 0, call.size);
    } else {
      to.allocate(call.kind, time, 0, call.size);
    }
  }

  void unknown(HistoryCall& call, WindowBuilder& to, uint64_t time) {
    call.is_unknown = true;
    before_ += 0x40;
    if (draw(2) == 0) {
      call.kind = Kind::kFree;
      to.free(time, before_);
      return;
    }
    call.kind = Kind::kRealloc;
    call.size = 1 + draw(5000);
    const uint64_t address = fresh();
    to.resize(time, before_, time, address, call.size);
    born(address, call.size);
  }

  void allocate(HistoryCall& call, WindowBuilder& to, uint64_t time) {
    static constexpr Kind kKinds[] = {
        Kind::kMalloc, Kind::kMalloc,  Kind::kMalloc,        Kind::kCalloc,       Kind::kReallocNew,
        Kind::kValloc, Kind::kPvalloc, Kind::kPosixMemalign, Kind::kAlignedAlloc, Kind::kMemalign};
    call.kind = kKinds[draw(std::size(kKinds))];
    call.size = draw(50) == 0 ? (uint64_t{1} << 32) + draw(1000) : draw(3000);
    const uint64_t address = fresh();
    if (call.kind == Kind::kMalloc) {
      to.malloc(time, address, call.size);
    } else if (call.kind >= Kind::kPosixMemalign && call.kind <= Kind::kMemalign) {
      to.aligned(call.kind, time, address, call.size, 64);
    } else {
      to.allocate(call.kind, time, address, call.size);
    }
    born(address, call.size);
  }

  void free(HistoryCall& call, WindowBuilder& to, uint64_t time) {
    static constexpr Kind kKinds[] = {Kind::kFree, Kind::kFree, Kind::kFreeSized,
                                      Kind::kFreeAlignedSized, Kind::kReallocFree};
    call.kind = kKinds[draw(std::size(kKinds))];
    if (options_.loses && draw(20) == 0) {
      forget();  // and this thread goes on with something else
      return allocate(call, to, time);
    }
    auto [address, size] = take();
    call.old_size = size;
    unused_.push_back(address);
    if (call.kind == Kind::kFree) {
      to.free(time, address);
    } else {
      to.free_by(call.kind, time, address);
    }
  }

  void resize(HistoryCall& call, WindowBuilder& to, uint64_t time) {
    call.kind = draw(4) == 0 ? Kind::kReallocArray : Kind::kRealloc;
    auto [old, old_size] = take();
    call.old_size = old_size;
    call.size = 1 + draw(9000);
    const uint64_t address = options_.resizes_in_place && draw(2) == 0 ? old : fresh();
    if (address != old) unused_.push_back(old);
    to.resize(time, old, time, address, call.size, 1, call.kind);
    born(address, call.size);
  }

  // A block is freed, nothing is entered, and its address is used again at some time; only then
  // can it be known.
  void forget() {
    auto [address, size] = take();
    (void)size;
    ++lost_;
    unused_.push_back(address);
  }

  void born(uint64_t address, uint64_t size) {
    live_.push_back({address, size});
    live_bytes_ += size;
  }

  std::pair<uint64_t, uint64_t> take() {
    const size_t at = draw(live_.size());
    std::swap(live_[at], live_.back());
    auto taken = live_.back();
    live_.pop_back();
    live_bytes_ -= taken.second;
    return taken;
  }

  HistoryOptions options_;
  std::mt19937_64 random_;
  LedgerBuilder ledger_;
  std::vector<HistoryCall> calls_;
  std::vector<std::pair<uint64_t, uint64_t>> live_;  // address and size
  std::vector<uint64_t> unused_;
  std::vector<uint64_t> last_;  // stamp, by thread
  uint64_t next_ = 0x7f0000000000;
  uint64_t before_ = 0x5f0000000000;
  uint64_t time_ = 1000;
  uint64_t live_bytes_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace heapledger::test
