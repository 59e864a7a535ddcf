// The first call of any hook starts the runtime: the exported functions jump through active_mode,
// which points here until the real allocator is known and the recording has begun (or not).
#include "runtime/bootstrap/start.h"

#include <cerrno>

#include "runtime/bootstrap/recording.h"
#include "runtime/bootstrap/resolve.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/choose_mode.h"
#include "runtime/modes/early_arena.h"
#include "runtime/modes/guard.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"

namespace heapledger::runtime {
namespace {

enum class Phase { kNone, kResolving, kReady };
constinit std::atomic<Phase> phase{Phase::kNone};

// While the real allocator is being looked up, by dlsym's own calls or by another thread.
void* early_malloc(size_t size) {
  return early_allocate(size);
}
void early_free(void*) {}
void* early_calloc(size_t count, size_t size) {
  size_t bytes;
  return array_bytes(count, size, bytes) ? early_allocate(bytes) : nullptr;
}
void* early_realloc(void* block, size_t size) {
  void* moved = early_allocate(size);
  if (moved == nullptr || block == nullptr || !in_early_arena(block)) return moved;
  size_t old_size = early_size(block);
  return memcpy(moved, block, old_size < size ? old_size : size);
}
void* early_reallocarray(void* block, size_t count, size_t size) {
  size_t bytes;
  return array_bytes(count, size, bytes) ? early_realloc(block, bytes) : nullptr;
}
void* early_aligned_alloc(size_t alignment, size_t size) {
  return early_allocate(size, alignment);
}
int early_posix_memalign(void** result, size_t alignment, size_t size) {
  *result = early_allocate(size, alignment);
  return *result == nullptr ? ENOMEM : 0;
}
void* early_memalign(size_t alignment, size_t size) {
  return early_allocate(size, alignment);
}
void* early_valloc(size_t size) {
  return early_allocate(size, 4096);
}
void* early_pvalloc(size_t size) {
  return early_allocate((size + 4095) & ~size_t{4095}, 4096);
}
void early_free_sized(void*, size_t) {}
void early_free_aligned_sized(void*, size_t, size_t) {}
size_t early_malloc_usable_size(void* block) {
  return block != nullptr && in_early_arena(block) ? early_size(block) : 0;
}

#define X(result, name, parameters, arguments)                              \
  result starting_##name(HEAPLEDGER_UNPACK parameters, HEAPLEDGER_CALLER) { \
    if (!start()) return early_##name(HEAPLEDGER_UNPACK arguments);         \
    const Mode* mode = active_mode.load(std::memory_order_acquire);         \
    return mode->name(HEAPLEDGER_UNPACK arguments, pc, sp, bp);             \
  }
HEAPLEDGER_HEAP_FUNCTIONS(X)
#undef X

constexpr Mode kStartingMode = {
#define X(result, name, parameters, arguments) starting_##name,
    HEAPLEDGER_HEAP_FUNCTIONS(X)
#undef X
};

}  // namespace

constinit std::atomic<const Mode*> active_mode{&kStartingMode};

bool start() {
  Phase seen = Phase::kNone;
  if (!phase.compare_exchange_strong(seen, Phase::kResolving)) return seen == Phase::kReady;
  bool wanted = read_settings();
  if (wanted && settings_in_force.allocator.given()) wanted = load_allocator();
  if (real_heap.malloc == nullptr && !resolve_real_heap()) return false;
  // From here on calls are served; they are entered as soon as there is a ledger.
  active_mode.store(&kPassThroughMode, std::memory_order_release);
  phase.store(Phase::kReady, std::memory_order_release);
  if (wanted) find_bypass();
  if (wanted && begin_recording()) {
    put_guard_up(settings_in_force.guard);
    active_mode.store(functions_of(settings_in_force.mode), std::memory_order_release);
  }
  return true;
}

}  // namespace heapledger::runtime
