// glibc's heap, found and walked in memory that was laid out by hand: every version's layout, and
// memory that is damaged or missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "cores/glibc_heap.h"
#include "glibc_world.h"

namespace heapledger::cores {
namespace {

std::set<std::pair<uint64_t, uint64_t>> blocks_of(const GlibcHeap& heap) {
  std::set<std::pair<uint64_t, uint64_t>> blocks;
  for (const LiveBlock& block : heap.live.blocks) blocks.emplace(block.address, block.size);
  return blocks;
}

std::string hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

bool some_problem_names(const GlibcHeap& heap, const std::string& text) {
  return std::any_of(heap.problems.begin(), heap.problems.end(), [&](const std::string& problem) {
    return problem.find(text) != std::string::npos;
  });
}

class EveryGlibc : public testing::TestWithParam<GlibcVersion> {};

std::string name_of_version(const testing::TestParamInfo<GlibcVersion>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

TEST_P(EveryGlibc, BlocksInUseAndFreeOnesAreTold) {
  GlibcWorld world(GetParam());
  auto heap = walk_glibc_heap(world);
  ASSERT_TRUE(heap);
  EXPECT_TRUE(heap->problems.empty()) << heap->problems[0];
  std::set<std::pair<uint64_t, uint64_t>> wanted(world.used.begin(), world.used.end());
  EXPECT_EQ(blocks_of(*heap), wanted);
  EXPECT_EQ(heap->in_use.chunks, world.used.size());
  EXPECT_EQ(heap->free_in_bins.chunks, world.bin_chunks);
  EXPECT_EQ(heap->free_in_bins.bytes, world.bin_bytes);
  EXPECT_EQ(heap->free_in_fastbins.chunks, world.fast_chunks);
  EXPECT_EQ(heap->free_in_fastbins.bytes, world.fast_bytes);
  EXPECT_EQ(heap->free_in_tcache.chunks, world.cached_chunks);
  EXPECT_EQ(heap->free_in_tcache.bytes, world.cached_bytes);
  EXPECT_EQ(heap->tcaches, 2u);
  EXPECT_EQ(heap->protected_links, GetParam().protects);
  EXPECT_EQ(heap->mapped.chunks, 3u);
  EXPECT_EQ(heap->mapped.bytes, 0x20000u + 0x3000u + 0x10000u);
  ASSERT_EQ(heap->arenas.size(), 2u);
  EXPECT_EQ(heap->arenas[0].address, GlibcWorld::kMainArena);
  EXPECT_TRUE(heap->arenas[0].is_main);
  EXPECT_FALSE(heap->arenas[1].is_main);
  EXPECT_EQ(heap->system_bytes, 2 * GlibcWorld::kHeapBytes);
  EXPECT_FALSE(heap->live.has_stacks);
}

TEST_P(EveryGlibc, AWrongSizeIsToldAndTheWalkGoesOnBehindIt) {
  GlibcWorld world(GetParam());
  uint64_t block = world.used[100].first;
  world.put(world.header_of(block), 0x4141414141414141);
  auto heap = walk_glibc_heap(world);
  ASSERT_TRUE(heap);
  uint64_t chunk = block - 2 * GetParam().shape.word_bytes;
  EXPECT_TRUE(some_problem_names(*heap, hex(chunk))) << testing::PrintToString(heap->problems);
  std::set<std::pair<uint64_t, uint64_t>> found = blocks_of(*heap);
  size_t missing = 0;
  for (const auto& one : world.used) missing += found.contains(one) ? 0 : 1;
  EXPECT_GE(missing, 1u);
  EXPECT_LE(missing, 4u);
  EXPECT_GT(heap->skipped_bytes, 0u);
}

TEST_P(EveryGlibc, ADumpThatIsCutIsToldAndTheOtherHeapIsWhole) {
  GlibcWorld world(GetParam());
  world.cut(0, 0x2000);  // the main heap
  auto heap = walk_glibc_heap(world);
  ASSERT_TRUE(heap);
  EXPECT_FALSE(heap->problems.empty());
  std::set<std::pair<uint64_t, uint64_t>> found = blocks_of(*heap);
  for (const auto& one : world.used) {
    bool was_cut = one.first >= GlibcWorld::kMainHeap + 0x1f00 &&
                   one.first < GlibcWorld::kMainHeap + GlibcWorld::kHeapBytes;
    EXPECT_TRUE(was_cut || found.contains(one)) << hex(one.first);
  }
}

TEST_P(EveryGlibc, ABrokenRingOfArenasStillShowsTheMainOne) {
  GlibcWorld world(GetParam());
  unsigned word = GetParam().shape.word_bytes;
  world.put(world.other_arena() + GetParam().bins_offset + 254 * word + 16, 0x1234);
  auto heap = walk_glibc_heap(world);
  ASSERT_TRUE(heap);
  EXPECT_TRUE(some_problem_names(*heap, "ring"));
  std::set<std::pair<uint64_t, uint64_t>> found = blocks_of(*heap);
  for (const auto& one : world.used) {
    EXPECT_TRUE(one.first >= GlibcWorld::kOtherHeap || found.contains(one)) << hex(one.first);
  }
}

// Whatever is written over it, the walk ends, holds no more than there is memory for, and says
// that something is wrong.
TEST_P(EveryGlibc, RandomDamageIsSurvivedAndTold) {
  size_t found = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    GlibcWorld world(GetParam());
    std::mt19937 random(seed);
    // Of one chunk in each heap, a header that none can have there.
    for (size_t used : {random() % 200, 350 + random() % 50}) {
      world.put(world.header_of(world.used[used].first), random() | 2);
    }
    unsigned long wounds = random() % 30;
    for (unsigned long i = 0; i < wounds; ++i) {
      const std::vector<Region>& regions = world.regions();
      const Region& region = regions[random() % regions.size()];
      uint64_t bytes = std::min<uint64_t>(region.end - region.start, 0x3000);
      uint64_t at = region.start + random() % bytes / 8 * 8;
      uint64_t values[] = {random(),
                           random() % 4096,
                           uint64_t{random()} << 32 | random(),
                           regions[random() % regions.size()].start + random() % 65536,
                           UINT64_MAX - random() % 64,
                           at};
      world.put(at, values[random() % std::size(values)]);
    }
    auto heap = walk_glibc_heap(world);
    if (!heap) continue;
    ++found;
    EXPECT_FALSE(heap->problems.empty()) << "seed " << seed;
    EXPECT_LE(heap->problems.size(), 51u);
    EXPECT_LT(heap->live.blocks.size(), 40000u);
  }
  EXPECT_GT(found, 50u);
}

INSTANTIATE_TEST_SUITE_P(Versions, EveryGlibc, testing::ValuesIn(all_glibc_versions()),
                         name_of_version);

TEST(GlibcHeap, MemoryWithoutOneGivesNothing) {
  GlibcVersion version = all_glibc_versions()[3];
  GlibcWorld world(version);
  for (uint64_t at = GlibcWorld::kVariables; at < GlibcWorld::kVariables + 0x4000; at += 8) {
    world.put(at, 0);
  }
  for (uint64_t at = world.other_arena(); at < world.other_arena() + 2200; at += 8)
    world.put(at, 0);
  EXPECT_FALSE(walk_glibc_heap(world));
}

TEST(GlibcHeap, ABlockLikeAnEmptyCacheIsTheProgramsOwn) {
  GlibcWorld world(all_glibc_versions()[3]);
  // A block of the size of a cache, all zeros, where no thread and no arena begins with it: made
  // of the first used chunk of the top.
  unsigned word = 8;
  uint64_t top_word = GlibcWorld::kMainArena + 112 - 2 * word;
  uint64_t top = world.word(top_word).value();
  uint64_t size = world.word(top + word).value() & ~uint64_t{7};
  world.put(top + word, 0x290 | 1);
  world.put(top + 0x290 + word, (size - 0x290) | 1);
  world.put(top_word, top + 0x290);
  auto heap = walk_glibc_heap(world);
  ASSERT_TRUE(heap);
  EXPECT_EQ(heap->tcaches, 2u);
  EXPECT_TRUE(blocks_of(*heap).contains({top + 2 * word, 0x288}));
}

}  // namespace
}  // namespace heapledger::cores
