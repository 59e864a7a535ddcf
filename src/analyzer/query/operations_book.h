// Makes operations of what a scan tells: calls in the order of time, and, for each that frees,
// which block that was. A block gets its number with the call that allocates it. Stamps of threads
// can be out of order by a little, so a free may have to wait for its block (pairing.h), and then
// all that comes after waits, too; and what was allocated "after" its free is put before it, with
// all that its thread did earlier.
//
// Where two threads free at one address within that little, the pairing may take one free for the
// other, so that a thread seems to free what it allocates later. Then the allocation comes first;
// if both are one resize, that becomes an allocation, and the block is freed right after it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "analyzer/clock.h"
#include "analyzer/pairing.h"
#include "analyzer/query/operations.h"
#include "analyzer/quiet_book.h"

namespace heapledger {

class OperationsBook final : public QuietBook {
 public:
  using Use = std::function<void(const Operation&)>;

  OperationsBook(const Use& use, const LedgerClock& clock, const std::vector<uint32_t>& sites)
      : use_(use), clock_(clock), sites_(sites) {}

  bool wants_calls() const override { return true; }
  void called(uint32_t ledger, uint32_t thread, const format::Entry& entry,
              const LiveBlock* block) override;
  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override;
  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override;
  void unborn(uint32_t ledger, uint64_t address, const Death& death) override;
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override;

  // Nothing more will come.
  LeftOut finish();

 private:
  static constexpr uint64_t kNever = UINT64_MAX;
  static constexpr size_t kMostHeld = size_t{1} << 16;
  static constexpr unsigned kMostMoves = 64;  // one within the other; more only in made-up ledgers

  // A block that has a number.
  struct Numbered {
    uint64_t size = 0;
    uint64_t birth = kNever;  // number of the operation; kNever: it has been given out
    uint32_t site = 0;
    uint8_t alignment = 0;       // its logarithm
    bool dies_at_birth = false;  // its free could not wait for it
  };

  // An operation that is not given out yet.
  struct Held {
    Operation operation;
    uint64_t before = kNever;  // the one before it of its thread, if that is here
    bool waits = false;        // for the block that it frees
    bool busy = false;         // what has to come before it is being given out
    bool done = false;
  };

  // Half of a call that the pairing has not told yet.
  struct Half {
    uint64_t time = 0;
    uint64_t number = 0;  // a death: of the operation; a birth: of the block
    uint64_t size = 0;    // of a block that is born
    uint32_t thread = 0;
  };
  using Halves = std::unordered_map<uint64_t, std::deque<Half>>;  // by address

  // Takes out the one that is like `half`, which gets its number.
  static bool take_half(Halves& halves, uint64_t address, Half& half);
  void number_block(Operation& operation, uint32_t account);
  void park_last();
  uint64_t hold(const Operation& operation, bool waits);
  Held& held(uint64_t number) { return held_[number - first_]; }
  bool find_death(uint64_t address, const Death& death, uint64_t& number);
  void fill_in(Operation& operation, BlockNumber old_block);
  void end_lost(BlockNumber block, uint32_t thread, uint64_t time_ns);
  void end_lost_at_birth(const Operation& birth);
  bool has_birth_ahead(const Operation& operation) const {
    return operation.old_block != kNoBlock && numbered_[operation.old_block].birth != kNever;
  }

  void release(bool all);
  bool has_to_wait(const Held& next);
  void give(uint64_t number, unsigned depth);
  void bring_birth(BlockNumber block, unsigned depth);
  void without_old_block(Operation& operation);
  void tell(const Operation& operation);

  const Use& use_;
  const LedgerClock& clock_;
  const std::vector<uint32_t>& sites_;  // by account
  LeftOut left_out_;

  std::vector<Numbered> numbered_;
  std::vector<BlockNumber> unused_;

  // The call that was told last, as long as it is the only one that may wait for something.
  Operation last_;
  uint64_t last_number_ = kNever;  // it is among those held …
  bool last_waits_death_ = false;  // … or will be, if this is not told before the next call
  bool last_waits_birth_ = false;
  uint64_t last_dies_ = 0;  // the addresses and times of both
  uint64_t last_dies_time_ = 0;
  uint64_t last_born_ = 0;
  uint64_t last_born_time_ = 0;

  std::deque<Held> held_;
  uint64_t first_ = 0;                    // number of the first of them
  uint64_t settled_ = 0;                  // none before this one waits
  std::vector<uint64_t> last_of_thread_;  // its number and one
  Halves deaths_;
  Halves births_;

  BlockNumber lost_ = kNoBlock;  // to be ended with the birth that is told next
};

}  // namespace heapledger
