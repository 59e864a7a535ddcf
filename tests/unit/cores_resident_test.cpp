// The mappings of a process, as /proc/PID/smaps has them, told apart: files made by hand.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "cores/resident_memory.h"

namespace heapledger::cores {
namespace {

using format::ResidentKind;
using Row = std::tuple<ResidentKind, uint64_t, uint64_t, uint64_t>;

constexpr uint64_t kKiB = 1024;

std::string mapping(const std::string& head, uint64_t resident_kib, uint64_t swapped_kib = 0) {
  return head +
         "\nSize:                132 kB\nRss:                " + std::to_string(resident_kib) +
         " kB\nPss:                 1 kB\nAnonymous:       4 kB\n" +
         "Swap:      " + std::to_string(swapped_kib) + " kB\nSwapPss:     0 kB\n" +
         "VmFlags: rd wr mr mw me ac sd\n";
}

std::vector<Row> rows_of(const ResidentMemory& found) {
  std::vector<Row> rows;
  for (const format::ResidentRange& range : found.ranges) {
    rows.emplace_back(range.kind, range.start, range.bytes, range.resident / kKiB);
  }
  return rows;
}

TEST(SortedMappings, AreToldApartByWhatIsKnownOfThem) {
  const std::string text =
      // The program, its data and what is zeroed behind it; the heap.
      mapping("10000-12000 r-xp 00000000 fe:00 77   /usr/bin/app", 8) +
      mapping("12000-13000 rw-p 00002000 fe:00 77   /usr/bin/app", 4) +
      mapping("13000-15000 rw-p 00000000 00:00 0 ", 7) +
      mapping("20000-90000 rw-p 00000000 00:00 0    [heap]", 100, 12) +
      // A file that is no code, memory of nobody known, the stack of a thread behind its guard.
      mapping("100000-140000 rw-s 00000000 fe:00 99   /tmp/data base", 64) +
      mapping("200000-240000 rw-p 00000000 00:00 0 ", 48) +
      mapping("300000-301000 ---p 00000000 00:00 0 ", 0) +
      mapping("301000-341000 rw-p 00000000 00:00 0 ", 32) +
      // Without a guard, but a thread is known to be there.
      mapping("400000-440000 rw-p 00000000 00:00 0 ", 24) +
      // Shared memory without a file of its own.
      mapping("500000-540000 rw-s 00000000 00:01 4   /dev/zero (deleted)", 28) +
      mapping("7ff000000-7ff021000 rw-p 00000000 00:00 0   [stack]", 20) +
      mapping("7ff030000-7ff032000 r-xp 00000000 00:00 0   [vdso]", 3);
  MappingHints hints;
  hints.in_stacks = {0x43fff0};
  const ResidentMemory found = sort_mappings(text, hints);
  EXPECT_EQ(found.total, (8 + 4 + 7 + 100 + 64 + 48 + 32 + 24 + 28 + 20 + 3) * kKiB);
  EXPECT_EQ(found.swapped, 12 * kKiB);
  const std::vector<Row> wanted = {{ResidentKind::kHeap, 0x20000, 0x70000, 100},
                                   {ResidentKind::kFile, 0x100000, 0x40000, 64},
                                   {ResidentKind::kAnonymous, 0x200000, 0x40000, 48},
                                   {ResidentKind::kThreadStack, 0x301000, 0x40000, 32},
                                   {ResidentKind::kFile, 0x500000, 0x40000, 28},
                                   {ResidentKind::kThreadStack, 0x400000, 0x40000, 24},
                                   {ResidentKind::kMainStack, 0x7ff000000, 0x21000, 20},
                                   {ResidentKind::kCode, 0x10000, 0x5000, 19},
                                   {ResidentKind::kCode, 0x7ff030000, 0x2000, 3}};
  EXPECT_EQ(rows_of(found), wanted);
}

TEST(SortedMappings, WhatIsTheRecordersIsOneSum) {
  const std::string text =
      mapping("10000-12000 r-xp 00000000 fe:00 77   /usr/lib/libheapledger.so.1", 8) +
      mapping("20000-30000 rw-s 00001000 fe:00 78   /tmp/app.7.ledger", 16) +
      mapping("40000-60000 rw-p 00000000 00:00 0 ", 40);
  MappingHints hints;
  hints.ledgers = {"/tmp/app.7.ledger"};
  hints.own = {{0x40000, 0x41000}, {0x42000, 0x43000}, {0x90000, 0x91000}};
  const std::vector<Row> wanted = {{ResidentKind::kAnonymous, 0x40000, 0x20000, 32},
                                   {ResidentKind::kRecorder, 0, 0, 8 + 16 + 8}};
  EXPECT_EQ(rows_of(sort_mappings(text, hints)), wanted);
}

TEST(SortedMappings, OfManyTheSmallOnesAreOneSum) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += mapping(std::to_string(100 + 2 * i) + "000-" + std::to_string(101 + 2 * i) +
                        "000 rw-p 00000000 00:00 0 ",
                    i < 128 ? 8 : 4);
  }
  const ResidentMemory found = sort_mappings(text, {});
  ASSERT_EQ(found.ranges.size(), format::kMaxResidentRanges + 1);
  EXPECT_EQ(rows_of(found).back(), Row(ResidentKind::kAnonymous, 0, 0, 72 * 4));
  EXPECT_EQ(found.total, (128 * 8 + 72 * 4) * kKiB);
}

TEST(SortedMappings, OfNonsenseAreNone) {
  for (const char* text : {"", "\n", "nonsense\n", "10000-\nRss: 4 kB\n", "Rss: 4 kB\n",
                           "20000-10000 rw-p\nRss: 4 kB\n", "10000-20000 rw", "10000-20000 rw-p"}) {
    EXPECT_EQ(sort_mappings(text, {}).ranges.size(), 0u) << text;
  }
}

}  // namespace
}  // namespace heapledger::cores
