// Appends entries to a window. Used by the runtime on every call, so everything inlines, and
// nothing here branches on data that varies. The tag is stored last: until then the window ends,
// validly, before the entry. The caller guarantees room and that the bytes at the cursor are zero.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "format/entry.h"
#include "format/varint.h"

namespace heapledger::format {

// Where a window stands: what the next entry's deltas are relative to.
struct EncoderState {
  unsigned char* cursor = nullptr;
  uint64_t time = 0;     // units
  uint64_t pointer = 0;  // last pointer written
};

// In place of a time: that of the entry before.
struct SameTime {};

namespace detail {

// Ends the entry that begins at `start`.
inline void commit(EncoderState& state, unsigned char* start, unsigned char* end,
                   unsigned char tag) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  *reinterpret_cast<volatile unsigned char*>(start) = tag;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  state.cursor = end;
}
inline void commit(EncoderState& state, unsigned char* end, unsigned char tag) {
  commit(state, state.cursor, end, tag);
}

// Time never runs backwards within a window.
inline uint64_t advance(EncoderState& state, uint64_t time) {
  uint64_t delta = time > state.time ? time - state.time : 0;
  state.time += delta;
  return delta;
}

inline unsigned char* put_pointer(EncoderState& state, unsigned char* at, uint64_t pointer) {
  at = put_folded(at, pointer - state.pointer);
  state.pointer = pointer;
  return at;
}

// The shapes whose tag holds the time: returns where the fields go, and the tag.
inline unsigned char* open_common(EncoderState& state, uint64_t time, unsigned shape,
                                  unsigned char& tag) {
  uint64_t delta = time - state.time;
  unsigned char* at = state.cursor + 1;
  if (__builtin_expect(delta < kTimeEscape, 1)) {
    state.time = time;
    tag = make_tag(shape, static_cast<unsigned>(delta));
    return at;
  }
  tag = make_tag(shape, kTimeEscape);
  return put_varint(at, advance(state, time));
}
inline unsigned char* open_common(EncoderState& state, SameTime, unsigned shape,
                                  unsigned char& tag) {
  tag = make_tag(shape, 0);
  return state.cursor + 1;
}

}  // namespace detail

// `Time` is units, or SameTime.
template <typename Time>
__attribute__((always_inline)) inline void append_free(EncoderState& state, Time time,
                                                       uint64_t pointer) {
  unsigned char tag;
  unsigned char* const start = state.cursor;
  unsigned char* at = detail::open_common(state, time, kShapeFree, tag);
  detail::commit(state, start, detail::put_pointer(state, at, pointer), tag);
}

template <typename Time>
__attribute__((always_inline)) inline void append_malloc(EncoderState& state, Time time,
                                                         uint64_t pointer, uint32_t site,
                                                         uint64_t size) {
  unsigned char tag;
  unsigned char* const start = state.cursor;
  unsigned char* at = detail::open_common(state, time, kShapeMalloc, tag);
  at = detail::put_pointer(state, at, pointer);
  at = put_usual_varint(at, site);
  detail::commit(state, start, put_varint(at, size), tag);
}

__attribute__((always_inline)) inline void append_calloc(EncoderState& state, SameTime,
                                                         uint64_t pointer, uint32_t site,
                                                         uint64_t size) {
  unsigned char* const start = state.cursor;
  unsigned char* at = detail::put_pointer(state, start + 1, pointer);
  at = put_usual_varint(at, site);
  at = put_varint(at, size);
  detail::commit(state, start, at,
                 make_tag(kShapeOther, static_cast<unsigned>(Kind::kCallocSameTime)));
}

// kCalloc, kReallocNew, kReallocArrayNew, kValloc, kPvalloc.
__attribute__((always_inline)) inline void append_allocation(EncoderState& state, Kind kind,
                                                             uint64_t time, uint64_t pointer,
                                                             uint32_t site, uint64_t size) {
  unsigned char* const start = state.cursor;
  unsigned char* at = put_varint(start + 1, detail::advance(state, time));
  at = detail::put_pointer(state, at, pointer);
  at = put_varint(at, site);
  at = put_varint(at, size);
  detail::commit(state, start, at, make_tag(kShapeOther, static_cast<unsigned>(kind)));
}

__attribute__((always_inline)) inline void append_calloc(EncoderState& state, uint64_t time,
                                                         uint64_t pointer, uint32_t site,
                                                         uint64_t size) {
  append_allocation(state, Kind::kCalloc, time, pointer, site, size);
}

// kPosixMemalign, kAlignedAlloc, kMemalign.
inline void append_aligned(EncoderState& state, Kind kind, uint64_t time, uint64_t pointer,
                           uint32_t site, uint64_t size, uint64_t alignment) {
  unsigned char* at = put_varint(state.cursor + 1, detail::advance(state, time));
  at = detail::put_pointer(state, at, pointer);
  at = put_varint(at, site);
  at = put_varint(at, size);
  at = put_varint(at, alignment);
  detail::commit(state, at, make_tag(kShapeOther, static_cast<unsigned>(kind)));
}

// kRealloc, kReallocArray.
inline void append_resize(EncoderState& state, Kind kind, uint64_t begin, uint64_t old_pointer,
                          uint64_t end, uint64_t pointer, uint32_t site, uint64_t size) {
  unsigned char* at = put_varint(state.cursor + 1, detail::advance(state, begin));
  at = detail::put_pointer(state, at, old_pointer);
  at = put_varint(at, detail::advance(state, end));
  at = detail::put_pointer(state, at, pointer);
  at = put_varint(at, site);
  at = put_varint(at, size);
  detail::commit(state, at, make_tag(kShapeOther, static_cast<unsigned>(kind)));
}

// kReallocFree, kReallocArrayFree, kFreeSized, kFreeAlignedSized.
inline void append_other_free(EncoderState& state, Kind kind, uint64_t time, uint64_t pointer) {
  unsigned char* at = put_varint(state.cursor + 1, detail::advance(state, time));
  at = detail::put_pointer(state, at, pointer);
  detail::commit(state, at, make_tag(kShapeOther, static_cast<unsigned>(kind)));
}

// The length of a long entry, in as many bytes as its kind has for it.
inline void put_length(unsigned char* at, Kind kind, uint64_t length) {
  unsigned bytes = length_bytes_of(kind);
  auto word = static_cast<uint32_t>(length << bytes | 1u << (bytes - 1));
  std::memcpy(at, &word, bytes);
}

// A long entry under construction: fields are put one after the other, then finish() writes the
// length and the tag. Room needed: the fields' bytes plus kLongOverhead.
class LongEntry {
 public:
  static constexpr unsigned kLongOverhead = 24;

  LongEntry(EncoderState& state, Kind kind, uint64_t time)
      : state_(state),
        kind_(kind),
        fields_(state.cursor + 1 + length_bytes_of(kind)),
        at_(fields_) {
    number(detail::advance(state, time));
  }

  LongEntry& number(uint64_t value) {
    at_ = put_varint(at_, value);
    return *this;
  }

  LongEntry& bytes(const void* data, size_t count) {
    std::memcpy(at_, data, count);
    at_ += count;
    return *this;
  }

  // For text that a system call writes: where it goes, and how much of it came.
  char* tail() { return reinterpret_cast<char*>(at_); }
  LongEntry& took(size_t count) {
    at_ += count;
    return *this;
  }

  void finish() {
    put_length(state_.cursor + 1, kind_, static_cast<uint64_t>(at_ - fields_));
    detail::commit(state_, at_, make_tag(kShapeOther, static_cast<unsigned>(kind_)));
  }

 private:
  EncoderState& state_;
  Kind kind_;
  unsigned char* fields_;
  unsigned char* at_;
};

}  // namespace heapledger::format
