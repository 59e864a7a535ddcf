// Finding modules and their unwind information, each way against the other: what _dl_find_object
// says and what the list of mappings says; what .eh_frame_hdr says and what a search by shape
// finds. And the frame pointers of code that has no unwind information.
#include <arch_call.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/unwind/modules.h"
#include "runtime/unwind/objects.h"
#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/unindexed_cfi.h"
#include "runtime/unwind/walker.h"

namespace heapledger::runtime {
namespace {

#if defined(__has_feature)
constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kAddressSanitizer = false;
#endif

uint64_t address(const void* at) {
  return reinterpret_cast<uint64_t>(at);
}

// A function in the executable, in libc and in libstdc++.
std::vector<uint64_t> some_code() {
  return {address(reinterpret_cast<void*>(&some_code)), address(dlsym(RTLD_DEFAULT, "qsort")) + 1,
          address(dlsym(RTLD_DEFAULT, "_ZSt9terminatev")) + 1};
}

class Objects : public testing::Test {
 protected:
  void SetUp() override {
    prepare_objects(false);
    if (!loader_answers()) GTEST_SKIP() << "this libc has no _dl_find_object to compare with";
  }
  void TearDown() override { prepare_objects(false); }
};

TEST_F(Objects, MappingsAgreeWithTheLoader) {
  for (uint64_t pc : some_code()) {
    LoadedObject by_loader;
    LoadedObject by_mappings;
    prepare_objects(false);
    ASSERT_TRUE(object_around(pc, by_loader));
    prepare_objects(true);
    ASSERT_TRUE(object_around(pc, by_mappings));
    EXPECT_EQ(by_mappings.start, by_loader.start);
    EXPECT_EQ(by_mappings.end, by_loader.end);
    EXPECT_EQ(by_mappings.bias, by_loader.bias);
    EXPECT_EQ(by_mappings.headers, by_loader.headers);
    EXPECT_EQ(by_mappings.header_count, by_loader.header_count);
    // The loader's name may lead there over links; the executable has none.
    std::string name = by_loader.name[0] != '\0' ? by_loader.name : "/proc/self/exe";
    char* real = realpath(name.c_str(), nullptr);
    EXPECT_STREQ(by_mappings.name, real);
    free(real);
  }
}

TEST_F(Objects, BothWaysLeadToTheSameFunctions) {
  for (uint64_t pc : some_code()) {
    CfiFunction functions[2];
    for (bool by_mappings : {false, true}) {
      prepare_objects(by_mappings);
      CfiModule module;
      ASSERT_TRUE(unwind_information_at(pc, module));
      ASSERT_TRUE(find_cfi(module, pc, functions[by_mappings]));
    }
    EXPECT_EQ(functions[1].begin, functions[0].begin);
    EXPECT_EQ(functions[1].end, functions[0].end);
    EXPECT_EQ(functions[1].program.at(), functions[0].program.at());
  }
}

TEST_F(Objects, WhereThereIsNoObjectNoneIsFound) {
  void* room = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  for (bool by_mappings : {false, true}) {
    prepare_objects(by_mappings);
    LoadedObject object;
    EXPECT_FALSE(object_around(address(room), object));
    EXPECT_FALSE(object_around(16, object));
    EXPECT_FALSE(object_around(UINT64_MAX, object));
  }
  munmap(room, 4096);
}

// A module that is loaded where none was found before is found in the end.
TEST_F(Objects, MissesAreNotForever) {
  void* function = dlsym(RTLD_DEFAULT, "qsort");
  LoadedObject object;
  prepare_objects(true);
  ASSERT_TRUE(object_around(address(function), object));
  // Misses in the same megabyte, then in the module again.
  uint64_t outside = object.end | 0xFFF;
  for (int i = 0; i < 10; ++i) {
    LoadedObject other;
    object_around(outside, other);
  }
  bool found = false;
  for (int i = 0; i < 40 && !found; ++i) found = object_around(address(function), object);
  EXPECT_TRUE(found);
}

// The search by shape finds what the index of the same module says, for every function in it.
TEST_F(Objects, UnindexedInformationIsThatOfTheIndex) {
  if (kAddressSanitizer) GTEST_SKIP() << "the search goes over the sanitizer's red zones";
  for (uint64_t pc : some_code()) {
    LoadedObject object;
    CfiModule indexed;
    CfiModule unindexed;
    ASSERT_TRUE(object_around(pc, object));
    ASSERT_TRUE(unwind_information_of(object, indexed));
    ASSERT_TRUE(find_unindexed(object, unindexed)) << object.name;
    EXPECT_EQ(unindexed.header, 0u);
    ByteCursor cursor(reinterpret_cast<const unsigned char*>(unindexed.start),
                      reinterpret_cast<const unsigned char*>(unindexed.end));
    unsigned functions = 0;
    for (;;) {
      CfiFunction seen;
      CfiFunction wanted;
      CfiRecord record = next_cfi_record(cursor, unindexed, seen);
      if (record == CfiRecord::kCommon) continue;
      if (record != CfiRecord::kFunction) break;
      ASSERT_TRUE(find_cfi(indexed, seen.begin, wanted)) << object.name;
      ASSERT_EQ(seen.program.at(), wanted.program.at()) << object.name;
      ++functions;
    }
    // The header begins: version, encodings, where .eh_frame is, and the number of functions.
    uint32_t count;
    memcpy(&count, reinterpret_cast<const void*>(indexed.header + 8), sizeof count);
    EXPECT_EQ(functions, count) << object.name;
    CfiFunction function;
    EXPECT_TRUE(find_cfi(unindexed, pc, function));
    EXPECT_TRUE(function.begin <= pc && pc < function.end);
  }
}

TEST(UnindexedCfi, NothingIsFoundWhereThereIsNothing) {
  alignas(8) static unsigned char bytes[4096] = {};
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(i * 37 % 251);
  ElfW(Phdr) segment = {};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_vaddr = address(bytes);
  segment.p_filesz = segment.p_memsz = sizeof bytes;
  LoadedObject object;
  object.headers = &segment;
  object.header_count = 1;
  ASSERT_TRUE(set_extent(object));
  CfiModule module;
  EXPECT_FALSE(find_unindexed(object, module));
  EXPECT_FALSE(find_unindexed(object, module));  // as remembered
}

// --- calls, as the processor's manual writes them ---

bool is_call(std::vector<unsigned char> bytes) {
  return arch::ends_with_call(bytes.data(), bytes.data() + bytes.size());
}

TEST(ReturnAddress, CallsOfAllFormsAreSeen) {
  EXPECT_TRUE(is_call({0xE8, 1, 2, 3, 4}));              // call distance
  EXPECT_TRUE(is_call({0xFF, 0xD0}));                    // call *rax
  EXPECT_TRUE(is_call({0x41, 0xFF, 0xD4}));              // call *r12
  EXPECT_TRUE(is_call({0xFF, 0x10}));                    // call *(rax)
  EXPECT_TRUE(is_call({0xFF, 0x15, 1, 2, 3, 4}));        // call *distance(rip)
  EXPECT_TRUE(is_call({0xFF, 0x50, 8}));                 // call *8(rax)
  EXPECT_TRUE(is_call({0xFF, 0x14, 0xC7}));              // call *(rdi,rax,8)
  EXPECT_TRUE(is_call({0xFF, 0x54, 0xC7, 8}));           // call *8(rdi,rax,8)
  EXPECT_TRUE(is_call({0xFF, 0x93, 0, 1, 0, 0}));        // call *256(rbx)
  EXPECT_TRUE(is_call({0xFF, 0x94, 0xC7, 0, 1, 0, 0}));  // call *256(rdi,rax,8)
}

TEST(ReturnAddress, OtherInstructionsAreNot) {
  EXPECT_FALSE(is_call({}));
  EXPECT_FALSE(is_call({0xD0}));
  EXPECT_FALSE(is_call({0xFF, 0xE0}));                    // jmp *rax
  EXPECT_FALSE(is_call({0xE9, 1, 2, 3, 4}));              // jmp distance
  EXPECT_FALSE(is_call({0xE8, 1, 2, 3}));                 // cut short
  EXPECT_FALSE(is_call({0x48, 0x89, 0xE5, 0x5D, 0xC3}));  // mov, pop, ret
}

// --- frame pointers ---

// An address that a call returns to, in code with unwind information.
__attribute__((noinline)) uint64_t return_address() {
  return address(__builtin_return_address(0));
}

class FramePointers : public testing::Test {
 protected:
  static constexpr uint64_t kNowhere = 0x10'0000;  // no module is so low

  void SetUp() override { prepare_objects(false); }

  uint64_t at(size_t word) const { return address(words_) + word * sizeof words_[0]; }

  Step step(FrameState& state) {
    StackReader stack(at(0), at(32), false);
    return step_by_frame_pointer(state, stack, scratch_);
  }

  // A frame whose frame pointer is at `word`.
  void frame(size_t word, uint64_t outer, uint64_t back) {
    words_[word] = outer;
    words_[word + 1] = back;
  }

  uint64_t words_[32] = {};
  static inline CfiScratch scratch_ = {};
  const uint64_t known_ = return_address();
};

TEST_F(FramePointers, ChainToKnownCodeIsFollowed) {
  frame(4, at(10), kNowhere + 1);
  frame(10, at(16), kNowhere + 2);
  frame(16, 77, known_);
  FrameState state = {kNowhere, at(2), at(4)};
  EXPECT_EQ(step(state), Step::kCaller);
  EXPECT_EQ(state, (FrameState{kNowhere + 1, at(6), at(10)}));
  EXPECT_EQ(step(state), Step::kCaller);
  EXPECT_EQ(state, (FrameState{kNowhere + 2, at(12), at(16)}));
  EXPECT_EQ(step(state), Step::kCaller);
  EXPECT_EQ(state, (FrameState{known_, at(18), 77}));
}

TEST_F(FramePointers, ChainThatEndsInTheUnknownIsCut) {
  frame(4, at(10), kNowhere + 1);
  frame(10, 0, kNowhere + 2);
  FrameState state = {kNowhere, at(2), at(4)};
  EXPECT_EQ(step(state), Step::kCut);
}

TEST_F(FramePointers, ChainThatTurnsBackIsCut) {
  frame(4, at(10), kNowhere + 1);
  frame(10, at(4), kNowhere + 2);
  FrameState state = {kNowhere, at(2), at(4)};
  EXPECT_EQ(step(state), Step::kCut);
  frame(10, at(10), kNowhere + 2);
  EXPECT_EQ(step(state), Step::kCut);
}

TEST_F(FramePointers, ChainThatLeavesTheStackIsCut) {
  frame(4, at(40), kNowhere + 1);
  FrameState state = {kNowhere, at(2), at(4)};
  EXPECT_EQ(step(state), Step::kCut);
  state = {kNowhere, at(2), at(4) + 4};  // crooked
  EXPECT_EQ(step(state), Step::kCut);
}

// A return address between the stack and the frame pointer: that of the caller whose frame
// pointer it is would be skipped.
TEST_F(FramePointers, FramePointerOfACallerIsNotUsed) {
  frame(10, 77, known_);
  FrameState state = {kNowhere, at(2), at(10)};
  EXPECT_EQ(step(state), Step::kCaller);
  words_[5] = known_;
  state = {kNowhere, at(2), at(10)};
  EXPECT_EQ(step(state), Step::kCut);
}

// Code that is no call's end is no caller, although it has unwind information.
TEST_F(FramePointers, FunctionPointersAreNoReturnAddresses) {
  frame(4, 77, address(dlsym(RTLD_DEFAULT, "qsort")) + 1);
  FrameState state = {kNowhere, at(2), at(4)};
  EXPECT_EQ(step(state), Step::kCut);
}

// What a walk learned about a chain does not hold for the next walk if the chain has changed.
TEST_F(FramePointers, ChangedChainIsSeen) {
  frame(4, at(10), kNowhere + 1);
  frame(10, 77, known_);
  FrameState state = {kNowhere, at(2), at(4)};
  ASSERT_EQ(step(state), Step::kCaller);
  frame(10, 77, kNowhere + 9);
  EXPECT_EQ(step(state), Step::kCut);
}

}  // namespace
}  // namespace heapledger::runtime
