// Reachability: what keeps a block and what does not, in memory made up for it.
#include "cores/reachability.h"

#include <gtest/gtest.h>

#include <string>

#include "fake_memory.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kProgram = 0x10000;  // code and data of the program
constexpr uint64_t kData = 0x20000;
constexpr uint64_t kHeap = 0x200000;
constexpr uint64_t kMapped = 0x500000;  // something that the program mapped
constexpr uint64_t kStack = 0x800000;
constexpr uint64_t kStackEnd = 0x810000;

// A program with data, a heap whose allocator nobody knows, a mapping, and the first stack.
class Reaching : public ::testing::Test {
 protected:
  Reaching() {
    Region& code = memory_.add(kProgram, 0x10000, "/bin/program");
    code.writable = false;
    code.executable = true;
    memory_.add(kData, 0x1000, "/bin/program");
    memory_.add(kHeap, 0x100000);
    memory_.add(kMapped, 0x10000);
    memory_.add(kStack, kStackEnd - kStack);
    memory_.put_text(kStackEnd - 8 - 13, "/bin/program");
    memory_.add_module(kProgram, 0x11000, "/bin/program");
  }

  // Number of the block.
  size_t block(uint64_t address, uint64_t size) {
    LiveBlock block;
    block.address = address;
    block.size = size;
    heap_.blocks.push_back(block);
    return heap_.blocks.size() - 1;
  }

  Reach of(size_t number) { return reach(memory_, heap_).blocks.at(number); }

  FakeMemory memory_;
  LiveHeap heap_;
};

TEST_F(Reaching, APointerInDataKeepsABlockAndWhatThatPointsTo) {
  size_t a = block(kHeap + 0x100, 64);
  size_t b = block(kHeap + 0x200, 64);
  memory_.put(kData + 8, kHeap + 0x100);
  memory_.put(kHeap + 0x100 + 56, kHeap + 0x200);
  EXPECT_EQ(of(a), Reach::kReachable);
  EXPECT_EQ(of(b), Reach::kReachable);
}

TEST_F(Reaching, NothingPointsToALostBlockAndWhatOnlyThatKeepsIsLostWithIt) {
  size_t a = block(kHeap + 0x100, 64);
  size_t b = block(kHeap + 0x200, 30);
  size_t c = block(kHeap + 0x300, 10);
  memory_.put(kHeap + 0x100, kHeap + 0x200);
  memory_.put(kHeap + 0x200 + 8, kHeap + 0x300 + 8);  // into the middle: no difference here
  Reachability answer = reach(memory_, heap_);
  EXPECT_EQ(answer.blocks[a], Reach::kDefinitelyLost);
  EXPECT_EQ(answer.blocks[b], Reach::kIndirectlyLost);
  EXPECT_EQ(answer.blocks[c], Reach::kIndirectlyLost);
  EXPECT_EQ(answer.kept[a].blocks, 2u);
  EXPECT_EQ(answer.kept[a].bytes, 40u);
  EXPECT_EQ(answer.total(Reach::kDefinitelyLost).bytes, 64u);
  EXPECT_EQ(answer.total(Reach::kIndirectlyLost).blocks, 2u);
  EXPECT_EQ(answer.total(Reach::kIndirectlyLost).bytes, 40u);
}

TEST_F(Reaching, OfACycleTheFirstByAddressIsDefinitelyLost) {
  size_t late = block(kHeap + 0x200, 32);
  size_t early = block(kHeap + 0x100, 16);
  memory_.put(kHeap + 0x100, kHeap + 0x200);
  memory_.put(kHeap + 0x200, kHeap + 0x100);
  Reachability answer = reach(memory_, heap_);
  EXPECT_EQ(answer.blocks[early], Reach::kDefinitelyLost);
  EXPECT_EQ(answer.blocks[late], Reach::kIndirectlyLost);
  EXPECT_EQ(answer.kept[early].bytes, 32u);
}

TEST_F(Reaching, ACycleThatALaterLostBlockKeepsIsLostUnderThat) {
  size_t one = block(kHeap + 0x100, 16);
  size_t other = block(kHeap + 0x200, 16);
  size_t holder = block(kHeap + 0x300, 16);
  memory_.put(kHeap + 0x100, kHeap + 0x200);
  memory_.put(kHeap + 0x200, kHeap + 0x100);
  memory_.put(kHeap + 0x300, kHeap + 0x200);
  Reachability answer = reach(memory_, heap_);
  EXPECT_EQ(answer.blocks[one], Reach::kIndirectlyLost);
  EXPECT_EQ(answer.blocks[other], Reach::kIndirectlyLost);
  EXPECT_EQ(answer.blocks[holder], Reach::kDefinitelyLost);
  EXPECT_EQ(answer.kept[holder].blocks, 2u);
  EXPECT_EQ(answer.kept[one].blocks, 0u);
}

TEST_F(Reaching, ABlockThatPointsToItselfIsLost) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.put(kHeap + 0x100, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
}

TEST_F(Reaching, APointerIntoTheMiddleMakesItPossibleAndSoWhatThatPointsTo) {
  size_t a = block(kHeap + 0x100, 100);
  size_t b = block(kHeap + 0x200, 100);
  memory_.put(kData, kHeap + 0x100 + 99);
  memory_.put(kHeap + 0x100, kHeap + 0x200);
  EXPECT_EQ(of(a), Reach::kPossiblyLost);
  EXPECT_EQ(of(b), Reach::kPossiblyLost);
  memory_.put(kData + 8, kHeap + 0x200);  // a better way to the second
  EXPECT_EQ(of(a), Reach::kPossiblyLost);
  EXPECT_EQ(of(b), Reach::kReachable);
}

TEST_F(Reaching, OnePastTheEndIsOutside) {
  size_t a = block(kHeap + 0x100, 64);
  memory_.put(kData, kHeap + 0x100 + 64);
  memory_.put(kData + 8, kHeap + 0x100 - 1);
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
}

TEST_F(Reaching, ABlockOfNoBytesIsKeptByItsAddress) {
  size_t a = block(kHeap + 0x100, 0);
  size_t b = block(kHeap + 0x200, 0);
  memory_.put(kData, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kReachable);
  EXPECT_EQ(of(b), Reach::kDefinitelyLost);
}

TEST_F(Reaching, HiddenAndUnalignedPointersAreNotSeen) {
  size_t a = block(kHeap + 0x100, 16);
  size_t b = block(kHeap + 0x200, 16);
  memory_.put(kData, (kHeap + 0x100) ^ 0xffff0000ffffu);
  memory_.put(kData + 17, kHeap + 0x200);
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
  EXPECT_EQ(of(b), Reach::kDefinitelyLost);
}

TEST_F(Reaching, AMappingOfTheProgramsIsARoot) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.put(kMapped + 0xfff8, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kReachable);
}

TEST_F(Reaching, AFreedBlockIsNone) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.put(kHeap + 0x4000, kHeap + 0x100);  // in no block that lives
  memory_.put(kHeap + 0x100 + 16, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
}

TEST_F(Reaching, MemoryOfOurOwnIsNone) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.put(kMapped + 0x800, kHeap + 0x100);
  heap_.own_ranges.push_back({kMapped + 0x800, kMapped + 0x900});
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
  memory_.put(kMapped + 0x900, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kReachable);
}

TEST_F(Reaching, DataOfOurLibraryIsNone) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.add(0x900000, 0x2000, "/usr/lib/libheapledger.so");
  memory_.add_module(0x900000, 0x2000, "/usr/lib/libheapledger.so");
  memory_.put(0x901000, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
}

TEST_F(Reaching, DataThatCannotBeWrittenIsNone) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.put(kProgram + 0x100, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
}

TEST_F(Reaching, RegistersAreRoots) {
  size_t a = block(kHeap + 0x100, 16);
  size_t b = block(kHeap + 0x200, 16);
  memory_.add_thread(kStackEnd - 0x100).registers = {0, kHeap + 0x100, kHeap + 0x208};
  EXPECT_EQ(of(a), Reach::kReachable);
  EXPECT_EQ(of(b), Reach::kPossiblyLost);
}

TEST_F(Reaching, TheStackIsARootFromTheRedZoneUpwards) {
  size_t used = block(kHeap + 0x100, 16);
  size_t red = block(kHeap + 0x200, 16);
  size_t below = block(kHeap + 0x300, 16);
  uint64_t pointer = kStackEnd - 0x800;
  memory_.add_thread(pointer);
  memory_.put(pointer + 0x10, kHeap + 0x100);
  memory_.put(pointer - 128, kHeap + 0x200);
  memory_.put(pointer - 136, kHeap + 0x300);
  EXPECT_EQ(of(used), Reach::kReachable);
  EXPECT_EQ(of(red), Reach::kReachable);
  EXPECT_EQ(of(below), Reach::kDefinitelyLost);
}

TEST_F(Reaching, MemoryThatMayBeNoStackIsARootAsAWhole) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.add(0xa00000, 0x10000, "[stack]");  // whoever made the dump called it so
  size_t b = block(kHeap + 0x200, 16);
  memory_.add_thread(0xa08000);
  memory_.put(0xa01000, kHeap + 0x200);
  EXPECT_EQ(of(b), Reach::kReachable);
  memory_.add_thread(kMapped + 0x8000);  // stacks of the program's own making, side by side
  memory_.put(kMapped + 0x1000, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kReachable);
}

TEST_F(Reaching, TheStackOfAThreadEndsWithItsStructure) {
  size_t below = block(kHeap + 0x100, 16);
  size_t local = block(kHeap + 0x200, 16);
  memory_.add_thread(kMapped + 0x8000).thread_pointer = kMapped + 0xf700;
  memory_.put(kMapped + 0x1000, kHeap + 0x100);
  memory_.put(kMapped + 0xf6f8, kHeap + 0x200);
  EXPECT_EQ(of(below), Reach::kDefinitelyLost);
  EXPECT_EQ(of(local), Reach::kReachable);
}

TEST_F(Reaching, TheStackOfAThreadThatEndedIsNone) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.add_thread(kStackEnd - 0x100).thread_pointer = kData + 0x800;
  memory_.put(kMapped + 0xf000, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kReachable);  // still any mapping
  memory_.put(kMapped + 0xf700, kMapped + 0xf700);
  memory_.put(kMapped + 0xf710, kMapped + 0xf700);
  EXPECT_EQ(of(a), Reach::kDefinitelyLost);
  size_t list = block(kHeap + 0x1000, 18 * 16);  // of its storage: that is kept with the stack
  memory_.put(kMapped + 0xf708, kHeap + 0x1010);
  memory_.put(kHeap + 0x1000, 16);
  EXPECT_EQ(of(list), Reach::kReachable);
}

TEST_F(Reaching, AStackInABlockIsARoot) {
  size_t stack = block(kHeap + 0x1000, 0x1000);
  size_t held = block(kHeap + 0x100, 16);
  size_t below = block(kHeap + 0x200, 16);
  memory_.add_thread(kHeap + 0x1800);
  memory_.put(kHeap + 0x1900, kHeap + 0x100);
  memory_.put(kHeap + 0x1100, kHeap + 0x200);
  EXPECT_EQ(of(held), Reach::kReachable);
  EXPECT_EQ(of(below), Reach::kIndirectlyLost);
  EXPECT_EQ(of(stack), Reach::kDefinitelyLost);
}

TEST_F(Reaching, ThreadLocalStorageInsideAHeapsRegionIsARoot) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.add_thread(kStackEnd - 0x100).thread_pointer = kHeap + 0x8000;
  memory_.put(kHeap + 0x7fc0, kHeap + 0x100);
  EXPECT_EQ(of(a), Reach::kReachable);
}

TEST_F(Reaching, StorageOfModulesThatWereLoadedLaterIsFoundThroughTheThread) {
  size_t list = block(kHeap + 0x1000, 18 * 16);
  size_t storage = block(kHeap + 0x2000, 64);
  size_t held = block(kHeap + 0x100, 16);
  memory_.add_thread(kStackEnd - 0x100).thread_pointer = kData + 0x800;
  memory_.put(kData + 0x808, kHeap + 0x1010);  // its second element
  memory_.put(kHeap + 0x1000, 16);
  memory_.put(kHeap + 0x1030, kHeap + 0x2000);
  memory_.put(kHeap + 0x2020, kHeap + 0x100);
  EXPECT_EQ(of(list), Reach::kReachable);
  EXPECT_EQ(of(storage), Reach::kReachable);
  EXPECT_EQ(of(held), Reach::kReachable);
}

TEST_F(Reaching, WithASampleOfTheBlocksAllMemoryIsARoot) {
  size_t a = block(kHeap + 0x100, 16);
  memory_.put(kHeap + 0x4000, kHeap + 0x100);
  heap_.sample_bytes = 512;
  Reachability answer = reach(memory_, heap_);
  EXPECT_EQ(answer.blocks[a], Reach::kReachable);
  EXPECT_FALSE(answer.problems.empty());
}

}  // namespace
}  // namespace heapledger::cores
