// Operations that are not given out yet, because one of them waits for its block.
#include <algorithm>

#include "analyzer/query/operations_book.h"

namespace heapledger {
namespace {

using format::Kind;
using What = Operation::What;

}  // namespace

uint64_t OperationsBook::hold(const Operation& operation, bool waits) {
  const uint64_t number = first_ + held_.size();
  Held one;
  one.operation = operation;
  one.waits = waits;
  if (operation.what != What::kFreeLost) {  // which is no call of the thread's own
    if (last_of_thread_.size() <= operation.thread) last_of_thread_.resize(operation.thread + 1);
    one.before = last_of_thread_[operation.thread] - 1;
    last_of_thread_[operation.thread] = number + 1;
  }
  if (operation.block != kNoBlock) numbered_[operation.block].birth = number;
  held_.push_back(one);
  return number;
}

void OperationsBook::release(bool all) {
  while (!held_.empty()) {
    const Held& next = held_.front();
    if (!next.done) {
      if (!all && held_.size() < kMostHeld && has_to_wait(next)) return;
      give(first_, 0);
    }
    held_.pop_front();
    ++first_;
  }
}

bool OperationsBook::has_to_wait(const Held& next) {
  if (next.waits) return true;
  if (!has_birth_ahead(next.operation)) return false;
  // All that may have to come with the birth has to be known.
  settled_ = std::max(settled_, first_);
  while (settled_ < first_ + held_.size() && !held(settled_).waits) ++settled_;
  return numbered_[next.operation.old_block].birth >= settled_;
}

void OperationsBook::give(uint64_t number, unsigned depth) {
  Held& next = held(number);
  if (next.done || next.busy) return;
  next.busy = true;
  Operation& operation = next.operation;
  if (next.waits) {
    next.waits = false;
    without_old_block(operation);
  }
  if (has_birth_ahead(operation)) {
    if (depth < kMostMoves) bring_birth(operation.old_block, depth);
    if (has_birth_ahead(operation)) {  // it comes before itself
      numbered_[operation.old_block].dies_at_birth = true;
      without_old_block(operation);
    }
  }
  tell(operation);
  next.done = true;
}

// Gives out the birth of a block after what its thread did before it. Where that is just what the
// birth is wanted for, the birth comes first: of two blocks at one address, freed at the same time
// by two threads, it may be the other one that this thread freed.
void OperationsBook::bring_birth(BlockNumber block, unsigned depth) {
  std::vector<uint64_t> chain;
  uint64_t number = numbered_[block].birth;
  while (number != kNever && number >= first_ && number - first_ < held_.size()) {
    const Held& one = held(number);
    if (one.done || one.busy) break;
    chain.push_back(number);
    number = one.before;
  }
  for (; !chain.empty(); chain.pop_back()) give(chain.back(), depth + 1);
}

void OperationsBook::tell(const Operation& operation) {
  const bool frees = operation.what == What::kFree || operation.what == What::kFreeLost;
  if (frees && operation.old_block == kNoBlock) return;  // left out
  use_(operation);
  if (operation.old_block != kNoBlock) unused_.push_back(operation.old_block);
  if (operation.block == kNoBlock) return;
  Numbered& block = numbered_[operation.block];
  block.birth = kNever;
  if (!block.dies_at_birth) [[likely]] {
    return;
  }
  end_lost_at_birth(operation);
}

void OperationsBook::end_lost_at_birth(const Operation& birth) {
  Operation operation;
  operation.what = What::kFreeLost;
  operation.kind = Kind::kFree;
  operation.thread = birth.thread;
  operation.time_ns = birth.time_ns;
  fill_in(operation, birth.block);
  use_(operation);
  unused_.push_back(birth.block);
}

}  // namespace heapledger
