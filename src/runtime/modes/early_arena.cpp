#include "runtime/modes/early_arena.h"

#include <atomic>
#include <cstring>

namespace heapledger::runtime {

alignas(64) constinit unsigned char early_arena[kEarlyArenaBytes] = {};

namespace {

constexpr size_t kHeaderBytes = 16;  // holds the size, keeps the block aligned
constinit std::atomic<size_t> used{0};

}  // namespace

void* early_allocate(size_t size, size_t alignment) {
  if (size > kEarlyArenaBytes || alignment > kEarlyArenaBytes) return nullptr;
  if (alignment < 16) alignment = 16;
  size_t whole = kHeaderBytes + size + alignment;
  size_t at = used.fetch_add((whole + 15) & ~size_t{15}, std::memory_order_relaxed);
  if (at + whole > kEarlyArenaBytes) return nullptr;
  uintptr_t start = reinterpret_cast<uintptr_t>(early_arena) + at + kHeaderBytes;
  auto* block = reinterpret_cast<unsigned char*>((start + alignment - 1) & ~(alignment - 1));
  memcpy(block - kHeaderBytes, &size, sizeof size);
  return block;
}

size_t early_size(const void* block) {
  size_t size;
  memcpy(&size, static_cast<const unsigned char*>(block) - kHeaderBytes, sizeof size);
  return size;
}

}  // namespace heapledger::runtime
