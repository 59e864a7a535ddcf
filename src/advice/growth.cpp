#include "advice/growth.h"

#include <algorithm>
#include <utility>

namespace heapledger {
namespace {

constexpr uint64_t kLittle = 24;  // that rounding, or a byte for the end of a text, makes

bool is_about(uint64_t size, uint64_t wanted) {
  uint64_t most = std::max(kLittle, wanted / 50);
  return size + most >= wanted && size <= wanted + most;
}

// Libraries take 1.5 or 2 times the size; room for rounding on both sides.
bool grows_like_a_vector(uint64_t from, uint64_t to) {
  return from > 0 && to >= from + from / 5 && to / 4 <= from;
}

}  // namespace

void Growth::add(const Growth& other) {
  chains += other.chains;
  steps += other.steps;
  by_realloc += other.by_realloc;
  outgrown_bytes += other.outgrown_bytes;
  copied_bytes += other.copied_bytes;
  largest = std::max(largest, other.largest);
}

GrowthWatch::Factor GrowthWatch::factor_of(uint64_t from, uint64_t to) {
  if (is_about(to, 2 * from)) return Factor::kDouble;
  return is_about(to, from + from / 2) ? Factor::kHalfMore : Factor::kUnknown;
}

GrowthWatch::Thread& GrowthWatch::thread(uint32_t number) {
  if (number >= threads_.size()) threads_.resize(number + 1);
  return threads_[number];
}

// The chain that ends with this block, or begins with it.
GrowthWatch::Outgrown GrowthWatch::take(const BlockEvent& event) {
  Outgrown old;
  old.size = event.size;
  old.address = event.address;
  auto found = chains_.find(event.address);
  if (found == chains_.end()) return old;
  old.chain = found->second;
  chains_.erase(found);
  return old;
}

void GrowthWatch::see(const BlockEvent& event) {
  switch (event.what) {
    case BlockEvent::What::kBorn:
      return born(event);
    case BlockEvent::What::kFreed:
      return freed(event);
    case BlockEvent::What::kResized: {
      Outgrown old = take(event);
      Thread& by = thread(event.by);
      by.born.reset();
      by.resizing = old;
      return;
    }
    default:
      chains_.erase(event.address);
  }
}

void GrowthWatch::born(const BlockEvent& event) {
  Thread& by = thread(event.by);
  uint64_t before = std::exchange(last_[event.site], event.address);
  if (!by.resizing) {
    by.born = event;
    by.before = before;
    return;
  }
  Outgrown old = *std::exchange(by.resizing, std::nullopt);
  if (event.size > old.size) step(old, event, true);
}

void GrowthWatch::freed(const BlockEvent& event) {
  Outgrown old = take(event);
  Thread& by = thread(event.by);
  std::optional<BlockEvent> grown = std::exchange(by.born, std::nullopt);
  if (grown && grew(old, event, *grown)) step(old, *grown, false);
}

bool GrowthWatch::grew(Outgrown& old, const BlockEvent& freed, const BlockEvent& grown) const {
  if (freed.temporary || freed.thread != freed.by) return false;
  if (!grows_like_a_vector(old.size, grown.size)) return false;
  if (grown.site == freed.site && threads_[freed.by].before == freed.address) return true;
  Factor factor = factor_of(old.size, grown.size);
  bool fits = factor != Factor::kUnknown && (old.chain.steps == 0 || factor == old.chain.factor);
  if (!fits || !(grown.site == freed.site || same_code_(grown.site, freed.site))) return false;
  old.chain.factor = factor;
  return true;
}

void GrowthWatch::step(const Outgrown& old, const BlockEvent& grown, bool by_realloc) {
  Chain chain = old.chain;
  ++chain.steps;
  chain.by_realloc += by_realloc ? 1 : 0;
  chain.outgrown_bytes += old.size;
  chain.copied_bytes += old.address == grown.address ? 0 : old.size;
  chains_[grown.address] = chain;
  if (chain.steps < 2) return;
  // The first step is counted together with the second, when it is known to be one.
  Chain before = chain.steps == 2 ? Chain{} : old.chain;
  Growth& growth = find_(grown.site);
  growth.chains += chain.steps == 2 ? 1 : 0;
  growth.steps += chain.steps - before.steps;
  growth.by_realloc += chain.by_realloc - before.by_realloc;
  growth.outgrown_bytes += chain.outgrown_bytes - before.outgrown_bytes;
  growth.copied_bytes += chain.copied_bytes - before.copied_bytes;
  growth.largest = std::max(growth.largest, grown.size);
}

}  // namespace heapledger
