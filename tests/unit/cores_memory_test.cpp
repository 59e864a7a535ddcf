// Core dumps made by hand, and plain dumps: what is read is what was put in, and what lies is
// harmless.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "core_builder.h"
#include "cores/elf_core.h"
#include "cores/memory.h"

namespace heapledger::cores {
namespace {

constexpr Shape kX86{8, false, 62};
constexpr Shape kI386{4, false, 3};
constexpr Shape kArm64{8, false, 183};
constexpr Shape kPowerPc{4, true, 20};
constexpr uint64_t kBase = 0x10000;

std::unique_ptr<Memory> opened(const std::string& bytes, const std::string& executable = {}) {
  return open_core_source(in_memory("made.core", bytes), executable, {});
}
std::unique_ptr<Memory> opened(const CoreBuilder& core) {
  return opened(core.build());
}

std::string read_text(const Memory& memory, uint64_t address, size_t bytes) {
  std::string text(bytes, '?');
  auto* out = reinterpret_cast<unsigned char*>(text.data());
  text.resize(memory.read(address, std::span(out, bytes)));
  return text;
}

std::string all_problems(const Memory& memory) {
  std::string all;
  for (const std::string& problem : memory.problems()) all += problem + '\n';
  return all;
}

// The message of the Error, and its kind in front.
std::string refusal(const std::string& bytes) {
  try {
    opened(bytes);
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::kData ? "data: " : "other: ") + std::string(error.what());
  }
  return "opened";
}

uint64_t bytes_in_pieces(const Memory& memory) {
  uint64_t sum = 0;
  for (const Region& region : memory.regions()) {
    for_each_piece(memory, region, 8192, [&](uint64_t address, auto piece) {
      EXPECT_GE(address, region.start);
      EXPECT_LE(address + piece.size(), region.end);
      sum += piece.size();
    });
  }
  return sum;
}

std::string page_of(char letter) {
  return std::string(4096, letter);
}

TEST(CoreMemory, ReadsAcrossSegmentsUpToTheGap) {
  CoreBuilder core(kX86);
  core.memory(kBase, page_of('a')).memory(kBase + 4096, page_of('b'), 0, 4);
  core.memory(kBase + 3 * 4096, page_of('c'), 0, 5);
  auto memory = opened(core);
  EXPECT_EQ(read_text(*memory, kBase + 4094, 4), "aabb");
  EXPECT_EQ(read_text(*memory, kBase + 2 * 4096 - 3, 10), "bbb");
  EXPECT_EQ(read_text(*memory, kBase - 1, 1), "");
  EXPECT_EQ(read_text(*memory, kBase + 2 * 4096, 1), "");
  ASSERT_EQ(memory->regions().size(), 3U);
  EXPECT_TRUE(memory->regions()[0].writable);
  EXPECT_FALSE(memory->regions()[1].writable);
  EXPECT_TRUE(memory->regions()[2].executable);
  EXPECT_EQ(bytes_in_pieces(*memory), 3U * 4096);
}

TEST(CoreMemory, NumbersOfAnotherByteOrderAndWordSize) {
  CoreBuilder core(kPowerPc);
  core.memory(0x8000, std::string("\x12\x34\x56\x78\xAB\xCD", 6));
  auto memory = opened(core);
  EXPECT_EQ(memory->shape().word_bytes, 4U);
  EXPECT_TRUE(memory->shape().big_endian);
  EXPECT_EQ(memory->shape().machine, 20U);
  EXPECT_EQ(memory->word(0x8000), 0x12345678U);
  EXPECT_EQ(memory->number<uint16_t>(0x8004), 0xABCD);
  EXPECT_EQ(memory->word(0x8004), std::nullopt);
}

TEST(CoreMemory, WhatWasNotDumpedIsNotZero) {
  CoreBuilder core(kX86);
  core.memory(kBase, page_of('a'), 3 * 4096).memory(kBase + 8 * 4096, "", 4096);
  auto memory = opened(core);
  EXPECT_EQ(read_text(*memory, kBase + 4090, 100), "aaaaaa");
  EXPECT_EQ(read_text(*memory, kBase + 4096, 1), "");
  EXPECT_EQ(read_text(*memory, kBase + 8 * 4096, 1), "");
  EXPECT_EQ(bytes_in_pieces(*memory), 4096U);
  EXPECT_EQ(all_problems(*memory).find("cut"), std::string::npos);
}

TEST(CoreMemory, ThreadsOfX86) {
  std::vector<uint64_t> registers(27);
  for (size_t i = 0; i < 27; ++i) registers[i] = 0x1000 + i;
  registers[19] = kBase + 8;    // rsp
  registers[21] = 0x7F00'1234;  // fs_base
  CoreBuilder core(kX86);
  core.thread(4711, registers).thread(4712, registers).memory(kBase, page_of('s'));
  auto memory = opened(core);
  ASSERT_EQ(memory->threads().size(), 2U);
  const Thread& thread = memory->threads()[0];
  EXPECT_EQ(thread.tid, 4711U);
  EXPECT_EQ(memory->threads()[1].tid, 4712U);
  EXPECT_EQ(thread.stack_pointer, kBase + 8);
  EXPECT_EQ(thread.thread_pointer, 0x7F00'1234U);
  // 15 general ones, the program counter, the stack pointer.
  std::vector<uint64_t> expected;
  for (uint64_t i = 0; i < 15; ++i) expected.push_back(0x1000 + i);
  expected.push_back(0x1010);
  expected.push_back(kBase + 8);
  EXPECT_EQ(thread.registers, expected);
  EXPECT_EQ(memory->regions()[0].path, "[stack]");
}

TEST(CoreMemory, ThreadPointersThatAreNotesOfTheirOwn) {
  std::vector<uint64_t> registers(17, 0);
  registers[10] = 0x63;  // gs: entry 12
  registers[15] = 0xBFFF0000;
  NumberWriter segments(kI386);
  segments.whole(11).whole(0x1111).whole(0).whole(0).whole(12).whole(0xB7001234).whole(0).whole(0);
  CoreBuilder i386(kI386);
  i386.thread(1, registers).note("LINUX", 0x200, segments.bytes());
  EXPECT_EQ(opened(i386)->threads().at(0).thread_pointer, 0xB7001234U);
  EXPECT_EQ(opened(i386)->threads().at(0).stack_pointer, 0xBFFF0000U);

  std::vector<uint64_t> wide(34, 0);
  wide[31] = 0xFFFF'8000;
  CoreBuilder arm(kArm64);
  arm.thread(1, wide).note("LINUX", 0x401, NumberWriter(kArm64).word(0xFFFF'9000).bytes());
  EXPECT_EQ(opened(arm)->threads().at(0).thread_pointer, 0xFFFF'9000U);
  EXPECT_EQ(opened(arm)->threads().at(0).stack_pointer, 0xFFFF'8000U);
}

TEST(CoreMemory, AllWordsOfAnUnknownMachineAreRegisters) {
  CoreBuilder core(Shape{4, true, 9999});
  core.thread(5, {0xA, 0xB, 0xC});
  auto memory = opened(core);
  EXPECT_EQ(memory->threads().at(0).tid, 5U);
  EXPECT_EQ(memory->threads().at(0).registers, (std::vector<uint64_t>{0xA, 0xB, 0xC}));
}

TEST(CoreMemory, FilesNameTheRegions) {
  CoreBuilder core(kPowerPc);
  core.files({{0x4000, 0x6000, 0, "/no/such/lib.so"}, {0x9000, 0xA000, 7, "/no/such/data"}});
  core.memory(0x4000, page_of('x')).memory(0x5000, page_of('y')).memory(0x7000, page_of('z'));
  auto memory = opened(core);
  const auto& regions = memory->regions();
  ASSERT_EQ(regions.size(), 4U);
  EXPECT_EQ(regions[0].path, "/no/such/lib.so");
  EXPECT_EQ(regions[1].path, "/no/such/lib.so");
  EXPECT_EQ(regions[1].file_offset, 0x1000U);
  EXPECT_EQ(regions[2].path, "");
  // gcore names what it leaves out in this list alone.
  EXPECT_EQ(regions[3].start, 0x9000U);
  EXPECT_EQ(regions[3].file_offset, 0x7000U);
  EXPECT_EQ(read_text(*memory, 0x9000, 1), "");
}

TEST(CoreMemory, CommandAndNumberOfTheProcess) {
  NumberWriter wide(kX86);
  wide.zeros(24).whole(77).zeros(12).text("server", 16).text("/bin/server --port 80 ", 80);
  auto memory = opened(CoreBuilder(kX86).note("CORE", 3, wide.bytes()));
  EXPECT_EQ(memory->pid(), 77U);
  EXPECT_EQ(memory->command(), (std::vector<std::string>{"/bin/server", "--port", "80"}));

  // User ids of 16 bits on i386, of 32 elsewhere.
  NumberWriter short_ids(kI386);
  short_ids.zeros(12).whole(78).zeros(12).text("a", 16).text("a b", 80);
  EXPECT_EQ(short_ids.bytes().size(), 124U);
  EXPECT_EQ(opened(CoreBuilder(kI386).note("CORE", 3, short_ids.bytes()))->pid(), 78U);
  NumberWriter long_ids(kPowerPc);
  long_ids.zeros(16).whole(79).zeros(12).text("a", 16).text("a b", 80);
  EXPECT_EQ(long_ids.bytes().size(), 128U);
  EXPECT_EQ(opened(CoreBuilder(kPowerPc).note("CORE", 3, long_ids.bytes()))->pid(), 79U);
}

TEST(CoreMemory, CutCoreKeepsWhatIsThere) {
  CoreBuilder core(kX86);
  core.memory(kBase, page_of('a')).memory(kBase + 8192, page_of('b'));
  std::string bytes = core.build();
  auto memory = opened(bytes.substr(0, bytes.size() - 4000));
  EXPECT_EQ(read_text(*memory, kBase, 4096), page_of('a'));
  EXPECT_EQ(read_text(*memory, kBase + 8192, 4096), std::string(96, 'b'));
  EXPECT_NE(all_problems(*memory).find("cut: 3.9 KiB of 8.0 KiB of memory are missing"),
            std::string::npos)
      << all_problems(*memory);
  // At every place, down to nothing of the memory and into the headers.
  for (size_t size = 0; size < bytes.size(); size += size < 1024 ? 1 : 97) {
    try {
      auto cut = opened(bytes.substr(0, size));
      EXPECT_FALSE(cut->problems().empty());
      EXPECT_LE(bytes_in_pieces(*cut), size);
    } catch (const Error& error) {
      EXPECT_LT(size, 64U) << error.what();
    }
  }
}

TEST(CoreMemory, SegmentsOverOneAnotherAreReadOnce) {
  CoreBuilder core(kX86);
  core.memory(kBase, page_of('a'), 2 * 4096).memory(kBase + 4096, page_of('b'));
  // Five segments that say they are all of the file.
  for (uint64_t i = 0; i < 5; ++i) core.wild_segment(1, 0, (i + 5) << 32U, 1U << 20U, 1U << 20U);
  std::string bytes = core.build();
  auto memory = opened(bytes);
  EXPECT_EQ(read_text(*memory, kBase, 1), "a");
  EXPECT_EQ(read_text(*memory, kBase + 4096, 1), "");
  EXPECT_LE(bytes_in_pieces(*memory), bytes.size());
  EXPECT_NE(all_problems(*memory).find("lie over others"), std::string::npos);
  for (size_t i = 1; i < memory->regions().size(); ++i) {
    EXPECT_GE(memory->regions()[i].start, memory->regions()[i - 1].end);
  }
}

TEST(CoreMemory, WildNumbersAreHarmless) {
  constexpr uint64_t kMost = UINT64_MAX;
  CoreBuilder core(kX86);
  core.wild_segment(1, 64, kMost - 4095, kMost, kMost).wild_segment(1, kMost, 4096, kMost, 8192);
  core.wild_segment(1, 0, 0, kMost, 4096).wild_segment(4, kMost, 0, kMost, 0);
  core.wild_segment(4, 8, 0, kMost, 0).wild_segment(7, kMost, kMost, kMost, kMost);
  core.note("CORE", 0x46494C45, NumberWriter(kX86).word(kMost).word(kMost).word(1).bytes());
  core.note("CORE", 1, "short").note("CORE", 3, "").note("CORE", 6, "odd");
  std::string bytes = core.build();
  auto memory = opened(bytes);
  EXPECT_LE(bytes_in_pieces(*memory), bytes.size());
  std::vector<unsigned char> out(8192);
  EXPECT_LE(memory->read(kMost - 10, out), 11U);
  EXPECT_FALSE(memory->problems().empty());
}

TEST(CoreMemory, MoreSegmentsThanFitTheirCount) {
  CoreBuilder core(kX86);
  constexpr uint64_t kCount = 70'000;
  for (uint64_t i = 0; i < kCount; ++i) core.memory(kBase + i * 8192, i + 1 == kCount ? "end" : "");
  core.count_in_section();
  auto memory = opened(core);
  EXPECT_EQ(read_text(*memory, kBase + (kCount - 1) * 8192, 9), "end");
}

TEST(CoreMemory, CountThatTheFileCannotHold) {
  CoreBuilder core(kX86);
  core.memory(kBase, page_of('a'));
  std::string bytes = core.build();
  bytes[56] = '\xFE';
  bytes[57] = '\xFF';
  auto memory = opened(bytes);
  EXPECT_EQ(read_text(*memory, kBase, 1), "a");
  EXPECT_NE(all_problems(*memory).find("65,534 segments"), std::string::npos);
}

TEST(CoreMemory, RefusesWhatIsNoCoreInWordsThatHelp) {
  EXPECT_NE(refusal("").find("data: made.core: is empty"), std::string::npos);
  EXPECT_NE(refusal("\x1F\x8B\x08 and so on").find("gzip -dk made.core"), std::string::npos);
  EXPECT_NE(refusal("\x28\xB5\x2F\xFD and so on").find("zstd -d made.core"), std::string::npos);
  EXPECT_NE(refusal("\x04\x22\x4D\x18 and so on").find("lz4 -d made.core"), std::string::npos);
  EXPECT_NE(refusal("HPLEDGER and so on").find("is a ledger"), std::string::npos);
  EXPECT_NE(refusal("HPSEALED and so on").find("is a ledger"), std::string::npos);
  EXPECT_NE(refusal("just some text").find("not a core dump"), std::string::npos);
  EXPECT_NE(refusal("\x7F"
                    "ELF\x02")
                .find("damaged"),
            std::string::npos);
  EXPECT_NE(refusal(CoreBuilder(kX86).type(3).build()).find("program or library"),
            std::string::npos);
  EXPECT_NE(refusal(CoreBuilder(kX86).type(1).build()).find("object file"), std::string::npos);
  EXPECT_THROW(open_core("/", "", ""), Error);
  EXPECT_THROW(open_core("/no/such/core", "", ""), Error);
  EXPECT_THROW(open_core("/proc/self/exe", "", ""), Error);
}

// A file with these bytes, gone with the object.
class MadeFile {
 public:
  explicit MadeFile(const std::string& bytes) {
    int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(fd);
  }
  ~MadeFile() { ::unlink(path_.c_str()); }
  MadeFile(const MadeFile&) = delete;
  MadeFile& operator=(const MadeFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/heapledger_memory_XXXXXX";
};

TEST(RawMemory, IsOneRegionFromItsBase) {
  MadeFile file("abcdefgh" + std::string(40'000, 'x') + "end");
  auto memory = open_raw(file.path(), 0x2000'0004, kPowerPc);
  ASSERT_EQ(memory->regions().size(), 1U);
  EXPECT_EQ(memory->regions()[0].start, 0x2000'0004U);
  EXPECT_EQ(memory->regions()[0].end, 0x2000'0004U + 40'011);
  EXPECT_EQ(read_text(*memory, 0x2000'0004 + 40'007, 99), "xend");
  EXPECT_EQ(memory->word(0x2000'0004), 0x61626364U);
  EXPECT_EQ(memory->word(0x2000'0000), std::nullopt);
  EXPECT_EQ(bytes_in_pieces(*memory), 40'011U);
}

TEST(RawMemory, RefusesWhatCannotBe) {
  MadeFile empty("");
  MadeFile small("12345678");
  EXPECT_THROW(open_raw(empty.path(), 0, kX86), Error);
  EXPECT_THROW(open_raw(small.path(), UINT64_MAX - 3, kX86), Error);
  EXPECT_THROW(open_raw("/no/such/dump", 0, kX86), Error);
  EXPECT_THROW(open_raw("/tmp", 0, kX86), Error);
}

TEST(RawMemory, HolesOfAFileAreSteppedOver) {
  MadeFile file("front");
  constexpr uint64_t kFar = uint64_t{1} << 40U;
  ASSERT_EQ(::truncate(file.path().c_str(), static_cast<off_t>(kFar + 4096)), 0);
  auto memory = open_raw(file.path(), 0, kX86);
  // A terabyte, of which one page was written.
  EXPECT_LE(bytes_in_pieces(*memory), 1U << 20U);
  EXPECT_EQ(read_text(*memory, 0, 5), "front");
  EXPECT_EQ(memory->word(kFar), 0U);
}

}  // namespace
}  // namespace heapledger::cores
