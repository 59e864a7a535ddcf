// Reachability in memory of other forms: glibc's heaps, pointers that compilers bend, other
// machines, dumps that are cut; and against a second way to find the classes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "cores/reachability.h"
#include "cores/reachability_blocks.h"
#include "fake_memory.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kData = 0x20000;
constexpr uint64_t kLibrary = 0x40000;  // data of the C library
constexpr uint64_t kHeap = 0x200000;

void add_block(LiveHeap& heap, uint64_t address, uint64_t size) {
  LiveBlock block;
  block.address = address;
  block.size = size;
  heap.blocks.push_back(block);
}

// Everything in one: data, the C library's data, a heap.
FakeMemory usual_memory(const Shape& shape = {}) {
  FakeMemory memory;
  memory.set_shape(shape);
  memory.add(kData, 0x1000, "/bin/program");
  memory.add(kLibrary, 0x1000, "/lib/libc.so.6");
  memory.add(kHeap, 0x100000);
  memory.add_module(kData, 0x1000, "/bin/program");
  memory.add_module(kLibrary, 0x1000, "/lib/libc.so.6");
  return memory;
}

Reach of_first(const Memory& memory, const LiveHeap& heap) {
  return reach(memory, heap).blocks.at(0);
}

TEST(ReachingGlibc, MemoryBesideABlockWithAMappingOfItsOwnIsARoot) {
  FakeMemory memory = usual_memory();
  memory.add(0x700000, 0x10000);  // the kernel joins mappings that lie side by side
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 16);
  add_block(heap, 0x702010, 0x3000);
  memory.put(0x702008, 0x4000 | 2);
  memory.put(0x70ff00, kHeap + 0x100);
  memory.put(0x705800, 0x702010);  // within the mapping, behind the block
  Reachability answer = reach(memory, heap);
  EXPECT_EQ(answer.blocks[0], Reach::kReachable);
  EXPECT_EQ(answer.blocks[1], Reach::kDefinitelyLost);
}

TEST(ReachingGlibc, TheHeapOfAThreadIsNoRootAndWhatLiesBehindItIs) {
  constexpr uint64_t kThreadHeap = 0x4000000;
  FakeMemory memory = usual_memory();
  memory.add(kThreadHeap, 0x5000000);
  memory.put(kThreadHeap, kThreadHeap + 0x30);
  memory.put(kThreadHeap + 16, 0x21000);
  memory.put(kThreadHeap + 24, 0x21000);
  LiveHeap heap;
  add_block(heap, kThreadHeap + 0x1010, 0x40);
  add_block(heap, kThreadHeap + 0x1060, 0x40);
  memory.put(kThreadHeap + 0x1008, 0x50 | 4 | 1);
  memory.put(kThreadHeap + 0x1058, 0x50 | 4 | 1);
  memory.put(kThreadHeap + 0x20000, kThreadHeap + 0x1010);
  memory.put(kThreadHeap + 0x4000000, kThreadHeap + 0x1060);
  Reachability answer = reach(memory, heap);
  EXPECT_EQ(answer.blocks[0], Reach::kDefinitelyLost);
  EXPECT_EQ(answer.blocks[1], Reach::kReachable);
}

TEST(ReachingGlibc, HeapsWithoutLiveBlocksAreNoRoots) {
  constexpr uint64_t kThreadHeap = 0x4000000;
  FakeMemory memory = usual_memory();
  memory.add(0x400000, 0x21000);  // grown by brk: two chunks
  memory.put(0x400008, 0x290 | 1);
  memory.put(0x400298, (0x21000 - 0x290) | 1);
  memory.put(0x400300, kHeap + 0x100);
  memory.add(kThreadHeap, 0x21000);
  memory.put(kThreadHeap, kThreadHeap + 0x30);
  memory.put(kThreadHeap + 16, 0x21000);
  memory.put(kThreadHeap + 24, 0x21000);
  memory.put(kThreadHeap + 0x5000, kHeap + 0x100);
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 16);
  EXPECT_EQ(of_first(memory, heap), Reach::kDefinitelyLost);
  memory.put(0x400298, 0x1235);  // no heap then
  EXPECT_EQ(of_first(memory, heap), Reach::kReachable);
}

// A chunk of 0x20 bytes, 24 of them for the program; the next begins in the last 8 of those.
TEST(ReachingGlibc, ItsNotesOfFreeMemoryKeepNothing) {
  FakeMemory memory = usual_memory();
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 24);
  memory.put(kHeap + 0xf8, 0x20 | 1);
  memory.put(kLibrary + 0x60, kHeap + 0x110);
  EXPECT_EQ(of_first(memory, heap), Reach::kDefinitelyLost);
  memory.put(kLibrary + 0x68, kHeap + 0x108);
  EXPECT_EQ(of_first(memory, heap), Reach::kPossiblyLost);
  memory.put(kLibrary + 0x68, 0);
  memory.put(kData + 0x60, kHeap + 0x110);  // the program's own
  EXPECT_EQ(of_first(memory, heap), Reach::kPossiblyLost);
}

TEST(ReachingInside, AnArrayBehindItsCountIsReachable) {
  FakeMemory memory = usual_memory();
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 8 + 5 * 12);
  memory.put(kData, kHeap + 0x108);
  memory.put(kHeap + 0x100, 7);
  EXPECT_EQ(of_first(memory, heap), Reach::kPossiblyLost);
  memory.put(kHeap + 0x100, 5);
  EXPECT_EQ(of_first(memory, heap), Reach::kReachable);
}

TEST(ReachingInside, ABlockBehindItsLengthIsReachableWhereWordsAreShort) {
  FakeMemory memory = usual_memory({4, false, 3});
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 8 + 60);
  memory.put(kData, kHeap + 0x108);
  EXPECT_EQ(of_first(memory, heap), Reach::kPossiblyLost);
  memory.put_number(kHeap + 0x100, 60, 8);
  EXPECT_EQ(of_first(memory, heap), Reach::kReachable);
}

TEST(ReachingInside, AnOldStringIsReachableByItsText) {
  FakeMemory memory = usual_memory();
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 24 + 30 + 1);
  memory.put(kData, kHeap + 0x118);
  memory.put(kHeap + 0x100, 31);
  memory.put(kHeap + 0x108, 30);
  EXPECT_EQ(of_first(memory, heap), Reach::kPossiblyLost);
  memory.put(kHeap + 0x100, 12);
  EXPECT_EQ(of_first(memory, heap), Reach::kReachable);
}

TEST(ReachingInside, AnObjectIsReachableByItsSecondBase) {
  FakeMemory memory;
  memory.add(0x10000, 0x1000, "/bin/program").executable = true;
  memory.add(0x18000, 0x1000, "/bin/program");  // vtables
  memory.add(kData, 0x1000, "/bin/program");
  memory.add(kHeap, 0x100000);
  memory.add_module(0x10000, 0x11000, "/bin/program");
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 48);
  memory.put(0x18010, 0x10100);
  memory.put(0x18018, 0x10200);
  memory.put(0x18030, 0x10300);
  memory.put(0x18038, 0x10400);
  memory.put(kHeap + 0x100, 0x18010);
  memory.put(kHeap + 0x118, 0x18030);
  memory.put(kData, kHeap + 0x118);
  EXPECT_EQ(of_first(memory, heap), Reach::kReachable);
  memory.put(kData, kHeap + 0x110);  // no base
  EXPECT_EQ(of_first(memory, heap), Reach::kPossiblyLost);
}

TEST(ReachingElsewhere, WordsAreReadAsTheMachineStoresThem) {
  for (const Shape& shape : {Shape{8, true, 21}, Shape{4, true, 8}, Shape{4, false, 40}}) {
    FakeMemory memory = usual_memory(shape);
    LiveHeap heap;
    add_block(heap, kHeap + 0x100, 16);
    add_block(heap, kHeap + 0x200, 16);
    add_block(heap, kHeap + 0x300, 16);
    add_block(heap, kHeap + 0x400, 16);
    add_block(heap, kHeap + 0x500, 16);
    memory.put(kData + 3 * shape.word_bytes, kHeap + 0x100);
    memory.put(kHeap + 0x100 + shape.word_bytes, kHeap + 0x200);
    memory.put(kData + 4 * shape.word_bytes, kHeap + 0x304);
    memory.put(kHeap + 0x400, kHeap + 0x500);
    Reachability answer = reach(memory, heap);
    EXPECT_EQ(answer.blocks[0], Reach::kReachable);
    EXPECT_EQ(answer.blocks[1], Reach::kReachable);
    EXPECT_EQ(answer.blocks[2], Reach::kPossiblyLost);
    EXPECT_EQ(answer.blocks[3], Reach::kDefinitelyLost);
    EXPECT_EQ(answer.blocks[4], Reach::kIndirectlyLost);
  }
}

TEST(ReachingElsewhere, ThereIsNoRedZoneOnOtherMachines) {
  for (bool wide : {false, true}) {
    Shape shape{wide ? 8u : 4u, false, wide ? 62u : 3u};
    FakeMemory memory = usual_memory(shape);
    memory.add(0x800000, 0x10000, "[stack]");
    memory.put_text(0x810000 - 8 - 2, "x");  // as the kernel leaves the name of the program
    memory.add_thread(0x808000);
    LiveHeap heap;
    add_block(heap, kHeap + 0x100, 16);
    memory.put(0x808000 - shape.word_bytes, kHeap + 0x100);
    EXPECT_EQ(of_first(memory, heap), wide ? Reach::kReachable : Reach::kDefinitelyLost);
  }
}

TEST(ReachingDumps, WhatIsMissingIsToldAndTheRestIsLookedThrough) {
  FakeMemory memory;
  memory.add(kData, 0x10000, "/bin/program", 0x1000);
  memory.add(0x90000, 0x1000);
  memory.add(kHeap, 0x100000, "", 0x8000);
  memory.add_module(kData, 0x10000, "/bin/program");
  LiveHeap heap;
  add_block(heap, kHeap + 0x100, 16);
  add_block(heap, kHeap + 0x200, 16);
  add_block(heap, kHeap + 0x9000, 0x100);
  memory.put(kData + 0xff8, kHeap + 0x100);
  memory.put(0x90000, kHeap + 0x200);
  memory.put(kHeap + 0x200, kHeap + 0x9000);
  Reachability answer = reach(memory, heap);
  for (Reach one : answer.blocks) EXPECT_EQ(one, Reach::kReachable);
  EXPECT_EQ(answer.missing_bytes, 0xf000u + 0x100u);
  EXPECT_EQ(answer.root_bytes, 0x11000u);
  EXPECT_EQ(answer.problems.size(), 2u);  // that, and no threads
}

TEST(ReachingDumps, OfBareMemoryAllAroundTheBlocksIsARoot) {
  FakeMemory memory;
  memory.add(kHeap, 0x100000);
  LiveHeap heap;
  add_block(heap, kHeap + 0x8000, 16);
  add_block(heap, kHeap + 0x9000, 16);
  memory.put(kHeap + 0x10, kHeap + 0x8000);
  memory.put(kHeap + 0x8800, kHeap + 0x9000);  // between the two
  Reachability answer = reach(memory, heap);
  EXPECT_EQ(answer.blocks[0], Reach::kReachable);
  EXPECT_EQ(answer.blocks[1], Reach::kDefinitelyLost);
}

TEST(ReachingDumps, SenselessBlocksDoNoHarm) {
  FakeMemory memory = usual_memory();
  LiveHeap heap;
  for (uint64_t address : {uint64_t{0}, uint64_t{1}, kHeap, kHeap, kHeap + 1, UINT64_MAX,
                           UINT64_MAX - 1, UINT64_MAX / 2}) {
    add_block(heap, address, UINT64_MAX);
    add_block(heap, address, 0);
  }
  memory.add_thread(UINT64_MAX).thread_pointer = UINT64_MAX - 8;
  memory.add_thread(kHeap + 0x10).thread_pointer = kHeap + 0xffff9;
  heap.own_ranges.push_back({5, 3});
  EXPECT_EQ(reach(memory, heap).blocks.size(), heap.blocks.size());
}

TEST(ReachingMany, ALongListIsFollowedToItsEnd) {
  constexpr size_t kCount = 300000;
  FakeMemory memory;
  memory.add(kData, 0x1000, "/bin/program");
  memory.add(kHeap, kCount * 16);
  memory.add_module(kData, 0x1000, "/bin/program");
  LiveHeap heap;
  for (size_t i = 0; i < kCount; ++i) {
    add_block(heap, kHeap + i * 16, 16);
    if (i > 0) memory.put(kHeap + i * 16, kHeap + (i - 1) * 16);
  }
  EXPECT_EQ(reach(memory, heap).kept[kCount - 1].blocks, kCount - 1);
  memory.put(kData, kHeap + (kCount - 1) * 16);
  EXPECT_EQ(reach(memory, heap).total(Reach::kReachable).blocks, kCount);
}

// The classes by their definition, block by block: slowly, and from another side.
struct Model {
  std::vector<std::set<size_t>> to_start, to_any;
  std::set<size_t> root_start, root_any;

  static std::set<size_t> closure(std::set<size_t> all,
                                  const std::vector<std::set<size_t>>& edges) {
    for (size_t before = 0; before != all.size();) {
      before = all.size();
      for (size_t one : std::set<size_t>(all)) all.insert(edges[one].begin(), edges[one].end());
    }
    return all;
  }

  std::vector<Reach> classes() const {
    std::set<size_t> reachable = closure(root_start, to_start);
    std::set<size_t> kept = reachable;
    kept.insert(root_any.begin(), root_any.end());
    kept = closure(kept, to_any);
    std::vector<Reach> answer(to_any.size());
    std::vector<std::set<size_t>> reaches;
    for (size_t i = 0; i < to_any.size(); ++i) reaches.push_back(closure({i}, to_any));
    for (size_t i = 0; i < to_any.size(); ++i) {
      answer[i] = Reach::kDefinitelyLost;
      for (size_t other = 0; other < to_any.size(); ++other) {
        if (other == i || kept.count(other) > 0 || reaches[other].count(i) == 0) continue;
        // Of those that keep one another, the first stands for all.
        if (other < i || reaches[i].count(other) == 0) answer[i] = Reach::kIndirectlyLost;
      }
      if (kept.count(i) > 0) answer[i] = Reach::kPossiblyLost;
      if (reachable.count(i) > 0) answer[i] = Reach::kReachable;
    }
    return answer;
  }
};

TEST(ReachingMany, RandomGraphsHaveTheClassesOfTheDefinition) {
  std::mt19937 random(4711);
  for (int round = 0; round < 60; ++round) {
    size_t count = 1 + random() % 40;
    FakeMemory memory = usual_memory();
    LiveHeap heap;
    Model model;
    model.to_start.resize(count);
    model.to_any.resize(count);
    for (size_t i = 0; i < count; ++i) add_block(heap, kHeap + 0x100 + i * 0x80, 0x48);
    auto put_pointer = [&](uint64_t where, std::set<size_t>& start, std::set<size_t>& any) {
      size_t to = random() % count;
      bool inside = random() % 4 == 0;
      // Nowhere near what counts as a start.
      memory.put(where, heap.blocks[to].address + (inside ? 0x21 : 0));
      any.insert(to);
      if (!inside) start.insert(to);
    };
    for (size_t i = random() % 4; i > 0; --i) {
      put_pointer(kData + i * 8, model.root_start, model.root_any);
    }
    for (size_t i = random() % (2 * count); i > 0; --i) {
      size_t from = random() % count;
      uint64_t where = heap.blocks[from].address + 8 * (random() % 9);
      if (memory.word(where) != 0u) continue;
      put_pointer(where, model.to_start[from], model.to_any[from]);
    }
    ASSERT_EQ(reach(memory, heap).blocks, model.classes()) << "round " << round;
  }
}

TEST(ReachingMany, BlocksAreFoundWhereverTheyLie) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 20; ++round) {
    std::vector<LiveBlock> blocks;
    uint64_t address = 0x1000;
    for (size_t i = 0; i < 300; ++i) {
      uint64_t gaps[] = {0, 16, 5000, uint64_t{1} << (20 + random() % 15)};
      address += gaps[random() % 4];
      uint64_t sizes[] = {1, 24, 4096, uint64_t{1} << (random() % 24)};
      uint64_t size = sizes[random() % 4];
      blocks.push_back({address, size, 0, 0, 0});
      address += size;
    }
    BlocksByAddress index(blocks);
    for (size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(index.find(blocks[i].address), i);
      EXPECT_EQ(index.find(blocks[i].address + blocks[i].size - 1), i);
      uint64_t behind = blocks[i].address + blocks[i].size;
      bool touched = i + 1 < blocks.size() && blocks[i + 1].address == behind;
      EXPECT_EQ(index.find(behind), touched ? i + 1 : BlocksByAddress::kNone);
    }
    EXPECT_EQ(index.find(0xfff), BlocksByAddress::kNone);
    EXPECT_EQ(index.find(UINT64_MAX), BlocksByAddress::kNone);
  }
}

}  // namespace
}  // namespace heapledger::cores
