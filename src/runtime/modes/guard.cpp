#include "runtime/modes/guard.h"

#include <cerrno>
#include <cstdlib>

#include "runtime/modes/damage_note.h"
#include "runtime/modes/real_heap.h"

namespace heapledger::runtime {
namespace {

constinit RealHeap under = {};  // the allocator itself
constinit bool stops = false;

// Sizes that the allocator refuses anyway, with our bytes or without.
constexpr size_t kAbsurd = SIZE_MAX / 4;
// From here on a resize is left to the allocator, which may move pages instead of bytes.
constexpr size_t kLarge = 128 << 10;

bool is_power_of_two(size_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

size_t whole(size_t lead, size_t size) {
  return lead + size + GuardedBlock::kGuard;
}

void tell(const Found& found, const void* block, size_t size) {
  tell_damage(found, block, size);
  if (stops) abort();
}

// The mark stays readable until the memory is given out again: what an allocator writes into a free
// block goes before it. (Keeping freed blocks for a while would find more, but also take away what
// programs rely on: that a block just freed is at hand.)
void let_go(void* block) {
  GuardedBlock guarded(block);
  void* base = guarded.base();
  guarded.mark_freed();
  under.free(base);
}

// Looks at a block of ours that is about to end. False: it must be left alone.
bool may_end(void* block) {
  GuardedBlock guarded(block);
  Found found = guarded.look();
  if (found.damage == Damage::kNone) return true;
  bool known = guarded.has_header();
  tell(found, block, known ? guarded.size() : 0);
  return known && found.damage != Damage::kFreedAlready;
}

void* guarded_malloc(size_t size) {
  if (size > kAbsurd) return under.malloc(size);
  void* base = under.malloc(whole(GuardedBlock::kBefore, size));
  return base == nullptr ? nullptr : GuardedBlock::make(base, GuardedBlock::kBefore, size);
}

void guarded_free(void* block) {
  if (block == nullptr) return;
  if (!GuardedBlock(block).is_ours()) return under.free(block);
  if (!may_end(block)) return;
  let_go(block);
}

void* guarded_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > kAbsurd) {
    return under.calloc(count, size);
  }
  void* base = under.calloc(1, whole(GuardedBlock::kBefore, bytes));
  return base == nullptr ? nullptr : GuardedBlock::make(base, GuardedBlock::kBefore, bytes);
}

// A block of ours to a new place.
void* move(void* block, size_t size) {
  void* moved = guarded_malloc(size);
  if (moved == nullptr) return nullptr;
  size_t old_size = GuardedBlock(block).size();
  memcpy(moved, block, old_size < size ? old_size : size);
  let_go(block);
  return moved;
}

void* guarded_realloc(void* block, size_t size) {
  if (block == nullptr) return guarded_malloc(size);
  GuardedBlock guarded(block);
  if (!guarded.is_ours()) return under.realloc(block, size);
  // One that must be left alone stays as it is; the program gets what it asked for.
  if (!may_end(block)) return size == 0 ? nullptr : guarded_malloc(size);
  if (size == 0) {
    let_go(block);
    return nullptr;
  }
  if (size > kAbsurd) {
    errno = ENOMEM;
    return nullptr;
  }
  bool large = guarded.size() >= kLarge && size >= kLarge;
  if (!large || guarded.lead() != GuardedBlock::kBefore) return move(block, size);
  void* base = under.realloc(guarded.base(), whole(GuardedBlock::kBefore, size));
  return base == nullptr ? nullptr : GuardedBlock::make(base, GuardedBlock::kBefore, size);
}

void* guarded_memalign(size_t alignment, size_t size) {
  bool plain = is_power_of_two(alignment) && alignment < kAbsurd && size < kAbsurd;
  if (!plain) return under.memalign(alignment, size);
  size_t lead = GuardedBlock::lead_of(alignment);
  void* base = under.memalign(alignment, whole(lead, size));
  return base == nullptr ? nullptr : GuardedBlock::make(base, lead, size);
}

void* guarded_aligned_alloc(size_t alignment, size_t size) {
  bool plain = is_power_of_two(alignment) && alignment < kAbsurd && size < kAbsurd;
  return plain ? guarded_memalign(alignment, size) : under.aligned_alloc(alignment, size);
}

int guarded_posix_memalign(void** result, size_t alignment, size_t size) {
  bool plain = is_power_of_two(alignment) && alignment % sizeof(void*) == 0 &&
               alignment < kAbsurd && size < kAbsurd;
  if (!plain) return under.posix_memalign(result, alignment, size);
  size_t lead = GuardedBlock::lead_of(alignment);
  void* base = nullptr;
  int error = under.posix_memalign(&base, alignment, whole(lead, size));
  if (error == 0) *result = GuardedBlock::make(base, lead, size);
  return error;
}

void* guarded_valloc(size_t size) {
  return size < kAbsurd ? guarded_memalign(os::page_bytes(), size) : under.valloc(size);
}

void* guarded_pvalloc(size_t size) {
  size_t page = os::page_bytes();
  if (size >= kAbsurd) return under.pvalloc(size);
  return guarded_memalign(page, (size + page - 1) & ~(page - 1));
}

size_t guarded_malloc_usable_size(void* block) {
  if (block == nullptr) return 0;
  GuardedBlock guarded(block);
  if (!guarded.is_ours() || !guarded.has_header()) return under.malloc_usable_size(block);
  return guarded.size();
}

}  // namespace

void put_guard_up(settings::Guard guard) {
  if (guard == settings::Guard::kOff) return;
  stops = guard == settings::Guard::kStop;
  under = real_heap;
#define X(id, result, name, parameters, arguments) real_heap.name = guarded_##name;
  HEAPLEDGER_REAL_FUNCTIONS(X)
#undef X
}

}  // namespace heapledger::runtime
