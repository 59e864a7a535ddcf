// How sizes, counts, times and foreign names are shown.
#include "text/text.h"

#include <gtest/gtest.h>

#include <string>

namespace heapledger {
namespace {

TEST(Text, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes((1u << 20) - 1), "1.0 MiB");
  EXPECT_EQ(human_bytes(uint64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Text, Counts) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "call"), "1 call");
  EXPECT_EQ(counted(2, "call"), "2 calls");
  EXPECT_EQ(counted(2, "entry"), "2 entries");
  EXPECT_EQ(counted(2, "process"), "2 processes");
}

TEST(Text, Durations) {
  EXPECT_EQ(human_duration(35), "35 ns");
  EXPECT_EQ(human_duration(1'500), "1.5 us");
  EXPECT_EQ(human_duration(999'999), "1.0 ms");
  EXPECT_EQ(human_duration(12'340'000), "12.3 ms");
  EXPECT_EQ(human_duration(2'310'000'000), "2.31 s");
  EXPECT_EQ(human_duration(123'000'000'000), "2 min 3 s");
  EXPECT_EQ(human_duration(7'380'000'000'000), "2 h 3 min");
}

TEST(Text, Times) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(1'700'000'000'999'999'999), "2023-11-14T22:13:20Z");
}

TEST(Text, PercentOfNothing) {
  EXPECT_EQ(percent(0, 0), "0.0%");
  EXPECT_EQ(percent(1, 8), "12.5%");
}

TEST(Escaped, TerminalSequencesAreShownNotObeyed) {
  EXPECT_EQ(escaped("\x1b[2J\a"), "\\x1b[2J\\x07");
  EXPECT_EQ(escaped("a\nb\tc\rd"), "a\\nb\\tc\\x0dd");
  EXPECT_EQ(escaped("\x7f"), "\\x7f");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\u009b31m");  // the one-character form of ESC [
}

TEST(Escaped, DirectionMarksAreShown) {
  EXPECT_EQ(escaped("a\u202egnp.exe"), "a\\u202egnp.exe");
  EXPECT_EQ(escaped("\u2066x\u2069"), "\\u2066x\\u2069");
}

TEST(Escaped, GoodTextStays) {
  EXPECT_EQ(escaped("größe/日本語.so"), "größe/日本語.so");
}

TEST(Escaped, InvalidUtf8IsShownByteByByte) {
  EXPECT_EQ(escaped("a\xff"
                    "b"),
            "a\\xffb");
  EXPECT_EQ(escaped("\xc3"), "\\xc3");                    // cut short
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Escaped, BackslashesAreUnambiguous) {
  EXPECT_EQ(escaped("\\x1b"), "\\\\x1b");
  EXPECT_EQ(printable("\\x1b and \x1b"), "\\x1b and \\x1b");
}

TEST(Quoted, NamesInMessages) {
  EXPECT_EQ(quoted("my file"), "'my file'");
}

TEST(ShellWord, QuotedOnlyWhereNeeded) {
  EXPECT_EQ(shell_word("a.42.ledger"), "a.42.ledger");
  EXPECT_EQ(shell_word("my file"), "'my file'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(rm -rf x)"), "'$(rm -rf x)'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a\nb'"), "$'a\\nb\\''");
}

TEST(AsUtf8, OnlyInvalidBytesChange) {
  EXPECT_EQ(as_utf8("a\xff\n"), "a\\xff\n");
}

TEST(CutText, ByCharactersNotBytes) {
  EXPECT_EQ(cut_text("äöü", 3), "äöü");
  EXPECT_EQ(cut_text("äöüß", 3), "äö…");
}

TEST(Style, PlainWithoutColours) {
  EXPECT_EQ(Style(false).bold("x"), "x");
  EXPECT_EQ(Style(true).bold("x"), "\x1b[1mx\x1b[0m");
}

}  // namespace
}  // namespace heapledger
