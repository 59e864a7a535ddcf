// Our file operations and the program's closing of ranges give way to each other, and both go on.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/os/descriptor_gate.h"

namespace heapledger::runtime::os {
namespace {

// Operations begin while ranges are closed without a pause: whoever waits must not be what the
// other one waits for. Stuck, an operation gives up after its time and is refused.
TEST(DescriptorGate, ManyOperationsAndAClosingOfRangesNeverRefuseOne) {
  constexpr int kThreads = 4;
  constexpr int kOperations = 2000;
  std::atomic<int> running{kThreads};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int operation = 0; operation < kOperations; ++operation) {
        DescriptorHold hold;
        if (!hold) refused.fetch_add(1);
        hold.set(-1);
      }
      running.fetch_sub(1);
    });
  }
  do {  // once at least, however soon the threads are done
    RangeClosing closing(3, ~0u);
    EXPECT_EQ(closing.begin(), closing.end());
  } while (running.load() > 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused.load(), 0);
}

// A closing sees what is open, in order, and nothing that it was not asked about.
TEST(DescriptorGate, AClosingListsOurDescriptorsOfItsRange) {
  DescriptorHold one;
  DescriptorHold two;
  DescriptorHold three;
  one.set(900);
  two.set(700);
  three.set(100);
  EXPECT_TRUE(descriptors_held());
  EXPECT_TRUE(is_our_descriptor(700, true));
  EXPECT_FALSE(is_our_descriptor(701, true));
  {
    RangeClosing closing(101, 900);
    EXPECT_EQ(std::vector<int>(closing.begin(), closing.end()), (std::vector<int>{700, 900}));
  }
  one.set(-1);
  two.set(-1);
  three.set(-1);
  RangeClosing closing(0, ~0u);
  EXPECT_EQ(closing.begin(), closing.end());
}

// A handler that interrupts a closing of its own thread does not wait for it: that would take until
// nobody waits any more, and be refused.
TEST(DescriptorGate, AClosingOfTheSameThreadKeepsNobodyWaiting) {
  RangeClosing closing(0, ~0u);
  DescriptorHold hold;
  EXPECT_TRUE(static_cast<bool>(hold));
}

}  // namespace
}  // namespace heapledger::runtime::os
