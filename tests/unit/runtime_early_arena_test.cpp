// Blocks handed out before the real allocator is known.
#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/modes/early_arena.h"

namespace heapledger::runtime {
namespace {

TEST(EarlyArena, BlocksAreZeroedAlignedAndRecognised) {
  for (size_t alignment : {size_t{16}, size_t{64}, size_t{256}}) {
    auto* block = static_cast<unsigned char*>(early_allocate(100, alignment));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
    EXPECT_TRUE(in_early_arena(block));
    EXPECT_EQ(early_size(block), 100u);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(block[i], 0);
    for (int i = 0; i < 100; ++i) block[i] = 0xFF;  // must not reach the next one
  }
}

TEST(EarlyArena, ForeignPointersAreNotIts) {
  int local = 0;
  EXPECT_FALSE(in_early_arena(&local));
  EXPECT_FALSE(in_early_arena(nullptr));
  EXPECT_FALSE(in_early_arena(early_arena + kEarlyArenaBytes));
}

TEST(EarlyArena, UsedUpIsNull) {
  EXPECT_EQ(early_allocate(kEarlyArenaBytes + 1), nullptr);
  EXPECT_EQ(early_allocate(SIZE_MAX), nullptr);
  while (early_allocate(4096) != nullptr) {
  }
  EXPECT_EQ(early_allocate(4096), nullptr);
}

}  // namespace
}  // namespace heapledger::runtime
