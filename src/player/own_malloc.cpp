// malloc and its family, for everything but the allocator under test: what the C library allocates
// for itself, and what libraries that the allocator brings allocate. An executable's functions come
// before all others, so none of that reaches the allocator. Blocks come from shared memory, which
// is not counted as the heap's.
//
// Only an allocator whose calloc, say, calls malloc by its name means its own: it gets that.
//
// Ready before any constructor runs: nothing here needs one.
#include <arch_ticks.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "player/functions.h"
#include "player/kernel.h"

extern "C" {
extern const char __executable_start;  // of the player's own code, by the linker
extern const char etext;
}

namespace heapledger::player {
namespace {

constexpr size_t kArenaBytes = size_t{1} << 30;  // of addresses
constexpr size_t kSmallest = 32;
constexpr unsigned kClasses = 12;  // 32 bytes to 64 KiB; larger blocks are not used again
constexpr unsigned kNoClass = kClasses;

// Before each block.
struct Head {
  uint64_t bytes;
  uint64_t size_class;
};
static_assert(sizeof(Head) == 16);

struct FreeBlock {
  FreeBlock* next;
};

std::atomic_flag busy = ATOMIC_FLAG_INIT;
char* arena = nullptr;
char* arena_at = nullptr;
char* arena_end = nullptr;
FreeBlock* free_blocks[kClasses];

class Locked {
 public:
  Locked() {
    while (busy.test_and_set(std::memory_order_acquire)) relax();
  }
  ~Locked() { busy.clear(std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

Head* head_of(void* block) {
  return static_cast<Head*>(block) - 1;
}

unsigned class_of(size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const auto log2 = static_cast<unsigned>(64 - __builtin_clzll(bytes - 1));
  return log2 - 5 < kClasses ? log2 - 5 : kNoClass;
}

// NULL when the arena is used up. Under the lock.
char* take(size_t bytes) {
  if (arena_at == nullptr) {
    arena =
        static_cast<char*>(kernel::map(kArenaBytes, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE));
    if (arena == nullptr) return nullptr;
    arena_end = arena + kArenaBytes;
    arena_at = arena;
  }
  if (bytes > static_cast<size_t>(arena_end - arena_at)) return nullptr;
  char* taken = arena_at;
  arena_at += bytes;
  return taken;
}

void* allocate(size_t bytes) {
  if (bytes > kArenaBytes) return nullptr;
  const unsigned size_class = class_of(bytes);
  const size_t whole = size_class == kNoClass ? (bytes + 15) / 16 * 16 : kSmallest << size_class;
  const Locked locked;
  char* block = nullptr;
  if (size_class != kNoClass && free_blocks[size_class] != nullptr) {
    block = reinterpret_cast<char*>(free_blocks[size_class]);
    free_blocks[size_class] = free_blocks[size_class]->next;
  } else {
    char* taken = take(sizeof(Head) + whole);
    if (taken == nullptr) return nullptr;
    block = taken + sizeof(Head);
  }
  *head_of(block) = {bytes, size_class};
  return block;
}

void* allocate_aligned(size_t alignment, size_t bytes) {
  if (alignment <= 16) return allocate(bytes);
  if (bytes > kArenaBytes || alignment > kArenaBytes) return nullptr;
  const Locked locked;
  char* taken = take((sizeof(Head) + alignment + bytes + 15) / 16 * 16);
  if (taken == nullptr) return nullptr;
  const auto block =
      (reinterpret_cast<uintptr_t>(taken) + sizeof(Head) + alignment - 1) / alignment * alignment;
  auto* result = reinterpret_cast<void*>(block);
  *head_of(result) = {bytes, kNoClass};
  return result;
}

bool is_own(const void* block) {
  return arena != nullptr && block >= arena && block < arena_end;
}

// Whether a call from there is the allocator's. Code of the player itself calls none of these: a
// call that returns there was the last thing that a function of the allocator did.
bool is_allocators(const void* caller) {
  if (allocator_code.bytes == 0) return false;
  return allocator_code.has(caller) || (caller >= &__executable_start && caller < &etext);
}

void release(void* block) {
  if (head_of(block)->size_class >= kClasses) return;
  const Locked locked;
  auto* freed = static_cast<FreeBlock*>(block);
  freed->next = free_blocks[head_of(block)->size_class];
  free_blocks[head_of(block)->size_class] = freed;
}

void* or_errno(void* block) {
  if (block == nullptr) errno = ENOMEM;
  return block;
}

void* resize(void* block, size_t bytes) {
  if (block != nullptr && !is_own(block)) return or_errno(nullptr);
  void* other = or_errno(allocate(bytes));
  if (other == nullptr || block == nullptr) return other;
  const size_t kept = head_of(block)->bytes;
  memcpy(other, block, kept < bytes ? kept : bytes);
  release(block);
  return other;
}

}  // namespace
}  // namespace heapledger::player

namespace player = heapledger::player;

#define HEAPLEDGER_IS_ALLOCATORS() player::is_allocators(__builtin_return_address(0))

extern "C" {

void* malloc(size_t bytes) noexcept {
  if (HEAPLEDGER_IS_ALLOCATORS()) return player::functions.malloc(bytes);
  return player::or_errno(player::allocate(bytes));
}

void free(void* block) noexcept {
  if (block == nullptr) return;
  if (player::is_own(block)) return player::release(block);
  // All else is the allocator's, or was the loader's before there was any malloc.
  if (HEAPLEDGER_IS_ALLOCATORS()) player::functions.free(block);
}

void* calloc(size_t count, size_t size) noexcept {
  if (HEAPLEDGER_IS_ALLOCATORS()) return player::functions.calloc(count, size);
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return player::or_errno(nullptr);
  void* block = player::or_errno(player::allocate(bytes));
  return block == nullptr ? nullptr : memset(block, 0, bytes);
}

void* realloc(void* block, size_t bytes) noexcept {
  if (!player::is_own(block) && HEAPLEDGER_IS_ALLOCATORS()) {
    return player::functions.realloc(block, bytes);
  }
  return player::resize(block, bytes);
}

void* reallocarray(void* block, size_t count, size_t size) noexcept {
  if (!player::is_own(block) && HEAPLEDGER_IS_ALLOCATORS()) {
    return player::functions.reallocarray(block, count, size);
  }
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return player::or_errno(nullptr);
  return player::resize(block, bytes);
}

void* memalign(size_t alignment, size_t bytes) noexcept {
  if (HEAPLEDGER_IS_ALLOCATORS()) return player::functions.memalign(alignment, bytes);
  return player::or_errno(player::allocate_aligned(alignment, bytes));
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (HEAPLEDGER_IS_ALLOCATORS()) return player::functions.aligned_alloc(alignment, bytes);
  return player::or_errno(player::allocate_aligned(alignment, bytes));
}

int posix_memalign(void** into, size_t alignment, size_t bytes) noexcept {
  if (HEAPLEDGER_IS_ALLOCATORS()) return player::functions.posix_memalign(into, alignment, bytes);
  void* block = player::allocate_aligned(alignment, bytes);
  if (block == nullptr) return ENOMEM;
  *into = block;
  return 0;
}

void* valloc(size_t bytes) noexcept {
  if (HEAPLEDGER_IS_ALLOCATORS()) return player::functions.valloc(bytes);
  return player::or_errno(player::allocate_aligned(player::kPage, bytes));
}

void* pvalloc(size_t bytes) noexcept {
  if (HEAPLEDGER_IS_ALLOCATORS()) return player::functions.pvalloc(bytes);
  const size_t whole = (bytes + player::kPage - 1) / player::kPage * player::kPage;
  return player::or_errno(player::allocate_aligned(player::kPage, whole));
}

size_t malloc_usable_size(void* block) noexcept {
  if (block == nullptr) return 0;
  if (player::is_own(block)) return player::head_of(block)->bytes;
  return player::functions.usable_size != nullptr ? player::functions.usable_size(block) : 0;
}

}  // extern "C"
