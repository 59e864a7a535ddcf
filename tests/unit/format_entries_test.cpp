// Whatever the encoder writes, the decoder reads back: random histories of all kinds of entries.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "format/entry_decoder.h"
#include "format/entry_encoder.h"

namespace heapledger::format {
namespace {

constexpr size_t kBytes = 1 << 16;

struct Written {
  Kind kind;
  uint64_t time, end_time, pointer, old_pointer, size, alignment;
  uint32_t site;
  std::string fields;
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed), bytes_(kBytes + 128) {
    state_.cursor = bytes_.data();
    state_.time = base_time_ = number();
  }

  void add_random_entry() {
    constexpr Kind kKinds[] = {Kind::kMalloc,
                               Kind::kMalloc,
                               Kind::kFree,
                               Kind::kFree,
                               Kind::kCalloc,
                               Kind::kReallocNew,
                               Kind::kPvalloc,
                               Kind::kPosixMemalign,
                               Kind::kAlignedAlloc,
                               Kind::kMemalign,
                               Kind::kRealloc,
                               Kind::kReallocArray,
                               Kind::kReallocFree,
                               Kind::kFreeSized,
                               Kind::kThread,
                               Kind::kSite,
                               Kind::kReallocArrayNew,
                               Kind::kValloc,
                               Kind::kReallocArrayFree,
                               Kind::kFreeAlignedSized,
                               Kind::kModule,
                               Kind::kFork};
    Written e{};
    e.kind = kKinds[random_() % std::size(kKinds)];
    e.time = state_.time + (random_() % 4 == 0 ? number() >> 20 : random_() % 70);
    e.end_time = e.time;
    e.pointer = number();
    e.size = number();
    e.site = static_cast<uint32_t>(number());
    e.alignment = number();
    write(e);
    written_.push_back(e);
  }

  bool full() const { return state_.cursor > bytes_.data() + kBytes - 200; }
  EntryDecoder decoder() const { return {bytes_.data(), state_.cursor, base_time_}; }
  const std::vector<Written>& written() const { return written_; }

 private:
  uint64_t number() { return random_() >> (random_() % 63 + 1); }

  void write(Written& e) {
    switch (e.kind) {
      case Kind::kMalloc:
        append_malloc(state_, e.time, e.pointer, e.site, e.size);
        break;
      case Kind::kFree:
        append_free(state_, e.time, e.pointer);
        break;
      case Kind::kPosixMemalign:
      case Kind::kAlignedAlloc:
      case Kind::kMemalign:
        append_aligned(state_, e.kind, e.time, e.pointer, e.site, e.size, e.alignment);
        break;
      case Kind::kRealloc:
      case Kind::kReallocArray:
        e.old_pointer = number();
        e.end_time = e.time + random_() % 1000;
        append_resize(state_, e.kind, e.time, e.old_pointer, e.end_time, e.pointer, e.site, e.size);
        break;
      case Kind::kReallocFree:
      case Kind::kReallocArrayFree:
      case Kind::kFreeSized:
      case Kind::kFreeAlignedSized:
        append_other_free(state_, e.kind, e.time, e.pointer);
        break;
      case Kind::kThread:
      case Kind::kSite:
      case Kind::kModule:
      case Kind::kFork:
        e.fields.assign(random_() % 100, static_cast<char>(random_()));
        LongEntry(state_, e.kind, e.time).bytes(e.fields.data(), e.fields.size()).finish();
        break;
      case Kind::kCalloc:
        if (random_() % 2 == 0) {
          e.time = e.end_time = state_.time;
          append_calloc(state_, SameTime(), e.pointer, e.site, e.size);
        } else {
          append_calloc(state_, e.time, e.pointer, e.site, e.size);
        }
        break;
      default:
        append_allocation(state_, e.kind, e.time, e.pointer, e.site, e.size);
    }
  }

  std::mt19937_64 random_;
  std::vector<unsigned char> bytes_;
  uint64_t base_time_ = 0;
  EncoderState state_;
  std::vector<Written> written_;
};

bool has_pointer(Kind kind) {
  return static_cast<unsigned>(kind) < kFirstLongKind;
}
bool has_size(Kind kind) {
  return has_pointer(kind) && kind != Kind::kFree && kind != Kind::kReallocFree &&
         kind != Kind::kReallocArrayFree && kind != Kind::kFreeSized &&
         kind != Kind::kFreeAlignedSized;
}

TEST(Entries, RandomHistoriesComeBack) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    History history(seed);
    while (!history.full()) history.add_random_entry();
    EntryDecoder decoder = history.decoder();
    Entry entry;
    for (const Written& e : history.written()) {
      ASSERT_TRUE(decoder.next(entry)) << seed;
      ASSERT_EQ(entry.kind, e.kind);
      ASSERT_EQ(entry.time, e.time);
      ASSERT_EQ(entry.end_time, e.end_time);
      if (has_pointer(e.kind)) {
        ASSERT_EQ(entry.pointer, e.pointer);
      }
      if (has_size(e.kind)) {
        ASSERT_EQ(entry.size, e.size);
      }
      if (has_size(e.kind)) {
        ASSERT_EQ(entry.site, e.site);
      }
      if (e.old_pointer != 0) {
        ASSERT_EQ(entry.old_pointer, e.old_pointer);
      }
      if (!has_pointer(e.kind)) {
        ASSERT_EQ(entry.fields, e.fields);
      }
    }
    EXPECT_FALSE(decoder.next(entry));
    EXPECT_FALSE(decoder.damaged());
  }
}

TEST(Entries, TimeNeverRunsBackwards) {
  std::vector<unsigned char> bytes(200);
  EncoderState state{bytes.data(), 100, 0};
  append_malloc(state, uint64_t{50}, 0x1000, 1, 8);
  EntryDecoder decoder(bytes.data(), state.cursor, 100);
  Entry entry;
  ASSERT_TRUE(decoder.next(entry));
  EXPECT_EQ(entry.time, 100u);
}

TEST(Entries, ThoseWithoutATimeOfTheirOwnHaveTheOneBefore) {
  std::vector<unsigned char> bytes(300);
  EncoderState state{bytes.data(), 100, 0};
  append_malloc(state, uint64_t{107}, 0x1000, 1, 8);
  append_malloc(state, SameTime(), 0x2008, 2, 16);  // not a multiple of 16
  append_calloc(state, SameTime(), 0x3000, 3, 24);
  append_free(state, SameTime(), 0x1000);
  append_free(state, uint64_t{109}, 0x3000);
  EntryDecoder decoder(bytes.data(), state.cursor, 100);
  const uint64_t expected[][2] = {
      {107, 0x1000}, {107, 0x2008}, {107, 0x3000}, {107, 0x1000}, {109, 0x3000}};
  Entry entry;
  for (const auto& [time, pointer] : expected) {
    ASSERT_TRUE(decoder.next(entry));
    EXPECT_EQ(entry.time, time);
    EXPECT_EQ(entry.pointer, pointer);
  }
  EXPECT_FALSE(decoder.next(entry));
}

TEST(Entries, NoShortEntryIsLongerThanPromised) {
  std::vector<unsigned char> bytes(200);
  EncoderState state{bytes.data(), 0, 0};
  uint64_t far = UINT64_MAX / 2 + 1;
  append_resize(state, Kind::kRealloc, far, far + 5, UINT64_MAX, 3, UINT32_MAX, UINT64_MAX);
  EXPECT_LE(state.cursor - bytes.data() + 8, kMaxShortEntryBytes);
}

TEST(Entries, UnknownLongKindsAreSteppedOver) {
  std::vector<unsigned char> bytes(300);
  EncoderState state{bytes.data(), 0, 0};
  LongEntry(state, static_cast<Kind>(63), 5).bytes("what is this", 12).finish();
  append_free(state, uint64_t{7}, 0x40);
  EntryDecoder decoder(bytes.data(), state.cursor, 0);
  Entry entry;
  ASSERT_TRUE(decoder.next(entry));
  ASSERT_TRUE(decoder.next(entry));
  EXPECT_EQ(entry.kind, Kind::kFree);
  EXPECT_EQ(entry.time, 7u);
}

}  // namespace
}  // namespace heapledger::format
