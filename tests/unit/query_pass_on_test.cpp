// Functions that pass on what the allocator gives them are found by what they do, and their callers
// are blamed; functions that allocate for themselves stay to blame, whatever they are called.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "named_program.h"

namespace heapledger {
namespace {

// One block of ten bytes for each stack.
class Program {
 public:
  void add(const test::NamedProgram::Stack& stack) { program_.add(stack, 10); }

  // By owner, bytes.
  std::map<std::string, uint64_t> owners(bool names = true) {
    Question question;
    question.by = GroupBy::kOwner;
    std::map<std::string, uint64_t> found;
    for (const Row& row : program_.ledgers(names).ask(question).rows) {
      found[row.name] = row.all.live_bytes;
    }
    return found;
  }

 private:
  test::NamedProgram program_;
};

using Owners = std::map<std::string, uint64_t>;

TEST(PassOn, TheCallersOfAWrapperAreBlamed) {
  Program program;
  for (const char* caller : {"parse", "draw", "send", "log"}) {
    program.add({"zmalloc", caller, "main"});
    program.add({"zmalloc", caller, "idle", "main"});
  }
  EXPECT_EQ(program.owners(), (Owners{{"parse", 20}, {"draw", 20}, {"send", 20}, {"log", 20}}));
}

TEST(PassOn, LayerUponLayer) {
  Program program;
  for (const char* caller : {"parse", "draw", "send", "log"}) {
    program.add({"os_alloc", "pool_alloc", "make_alloc", caller, "main"});
    program.add({"os_alloc", "pool_alloc", "other_alloc", caller, "main"});
    program.add({"os_alloc", "third_alloc", caller, "main"});
    program.add({"os_alloc", "pool_alloc", "third_alloc", caller, "main"});
  }
  EXPECT_EQ(program.owners(), (Owners{{"parse", 40}, {"draw", 40}, {"send", 40}, {"log", 40}}));
}

TEST(PassOn, OneCallerMakesNoWrapper) {
  Program program;
  for (const char* outer : {"a", "b", "c", "d"}) program.add({"allocate", "load", outer, "main"});
  EXPECT_EQ(program.owners(), (Owners{{"allocate", 40}}));
}

TEST(PassOn, ANameThatDoesNotSoundLikeItStaysToBlame) {
  Program program;
  for (const char* caller : {"a", "b", "c", "d", "e"}) program.add({"make_node", caller, "main"});
  EXPECT_EQ(program.owners(), (Owners{{"make_node", 50}}));
}

TEST(PassOn, ANameThatLeavesItOpenTakesMoreCallers) {
  Program few;
  for (const char* caller : {"a", "b", "c", "d"}) few.add({"resize_image", caller, "main"});
  EXPECT_EQ(few.owners(), (Owners{{"resize_image", 40}}));
  Program many;
  for (const char* caller : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    many.add({"grow_buffer", caller, "main"});
  }
  EXPECT_EQ(many.owners().size(), 8u);
}

// The inner half of an allocator, behind a table of functions: nobody else calls it.
TEST(PassOn, WhatOnlyAllocatorsCallIsOneWhateverItIsCalled) {
  Program program;
  for (const char* caller : {"a", "b", "c", "d"}) {
    program.add({"grow_pages", "zmalloc", caller, "main"});
  }
  EXPECT_EQ(program.owners(), (Owners{{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}}));
}

TEST(PassOn, WhatCallsOthersThatAllocateIsNoWrapper) {
  Program program;
  for (const char* caller : {"a", "b", "c", "d"}) {
    program.add({"resize_all", caller, "main"});
    program.add({"fill", "resize_all", caller, "main"});
  }
  EXPECT_EQ(program.owners(), (Owners{{"resize_all", 40}, {"fill", 40}}));
}

TEST(PassOn, WithoutNamesItTakesMoreCallers) {
  Program few;
  for (const char* caller : {"a", "b", "c", "d"}) few.add({"x", caller, "main"});
  EXPECT_EQ(few.owners(false).size(), 1u);
  Program many;
  for (const char* caller : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    many.add({"x", caller, "main"});
  }
  EXPECT_EQ(many.owners(false).size(), 8u);
}

TEST(PassOn, AProgramThatDoesNothingElseIsStillNamed) {
  Program program;
  for (const char* caller : {"alloc_a", "alloc_b", "alloc_c", "alloc_d"}) {
    program.add({"alloc", caller});
  }
  uint64_t sum = 0;
  for (const auto& [name, bytes] : program.owners()) sum += bytes;
  EXPECT_EQ(sum, 40u);
}

}  // namespace
}  // namespace heapledger
