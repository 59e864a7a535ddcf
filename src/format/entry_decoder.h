// Reads the entries of one payload back, one at a time. Bounds are checked at every step: hostile
// bytes end the stream as damaged, never a read outside it. Text and byte fields are views into
// the payload and live as long as it does.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/entry.h"
#include "format/functions.h"
#include "format/varint.h"

namespace heapledger::format {

// One entry, decoded; which fields are set depends on the kind (see entry.h).
struct Entry {
  Kind kind = Kind::kEnd;
  uint64_t time = 0;         // units; for a resize, when the old block died
  uint64_t end_time = 0;     // resize: when the new block was born; else equal to time
  uint64_t pointer = 0;      // the block allocated, resized to, or freed
  uint64_t old_pointer = 0;  // resize
  uint64_t size = 0;
  uint64_t alignment = 0;
  uint32_t site = 0;
  std::string_view fields;  // long kinds: what follows the time
};

class EntryDecoder {
 public:
  EntryDecoder() = default;
  EntryDecoder(const unsigned char* payload, const unsigned char* end, uint64_t base_time)
      : at_(payload), end_(end), time_(base_time) {}

  // Decodes the next entry. False at the end of the stream; damaged() then tells whether it ended
  // in the middle of an entry.
  bool next(Entry& entry) {
    if (at_ == nullptr || at_ >= end_ || *at_ == 0) return false;
    const unsigned char* start = at_;
    unsigned char tag = *at_++;
    bool good = shape_of(tag) == kShapeOther ? other(tag, entry) : common(tag, entry);
    if (!good) {
      damaged_ = true;
      at_ = end_ = start;
    }
    return good;
  }

  bool damaged() const { return damaged_; }
  const unsigned char* position() const { return at_; }

 private:
  bool number(uint64_t& value) {
    at_ = get_varint(at_, end_, value);
    return at_ != nullptr;
  }

  bool time(uint64_t& value) {
    uint64_t delta;
    if (!number(delta)) return false;
    value = time_ += delta;
    return true;
  }

  bool pointer(uint64_t& value) {
    uint64_t folded;
    if (!number(folded)) return false;
    value = pointer_ = unfold_pointer(folded, pointer_);
    return true;
  }

  bool site(uint32_t& value) {
    uint64_t wide;
    if (!number(wide) || wide > UINT32_MAX) return false;
    value = static_cast<uint32_t>(wide);
    return true;
  }

  bool common(unsigned char tag, Entry& entry) {
    unsigned shape = shape_of(tag);
    if (shape != kShapeFree && shape != kShapeMalloc) return false;
    uint64_t delta = upper_of(tag);
    if (delta == kTimeEscape && !number(delta)) return false;
    entry.time = entry.end_time = time_ += delta;
    if (!pointer(entry.pointer)) return false;
    if (shape == kShapeFree) {
      entry.kind = Kind::kFree;
      return true;
    }
    entry.kind = Kind::kMalloc;
    return site(entry.site) && number(entry.size);
  }

  bool other(unsigned char tag, Entry& entry) {
    entry.kind = static_cast<Kind>(upper_of(tag));
    if (upper_of(tag) >= kFirstLongKind) return long_fields(entry);
    if (entry.kind == Kind::kCallocSameTime) {
      entry.kind = Kind::kCalloc;
      entry.time = time_;
    } else if (!time(entry.time)) {
      return false;
    }
    if (!pointer(entry.pointer)) return false;
    entry.end_time = entry.time;
    if (entry.kind == Kind::kMalloc || entry.kind == Kind::kFree) return false;
    const KindMeaning meaning = meaning_of(entry.kind);
    switch (meaning.event) {
      case Event::kBirth:
        return site(entry.site) && number(entry.size) &&
               (!row_of(meaning.function).aligned || number(entry.alignment));
      case Event::kDeath:
        return true;
      case Event::kResize:
        entry.old_pointer = entry.pointer;
        return time(entry.end_time) && pointer(entry.pointer) && site(entry.site) &&
               number(entry.size);
      case Event::kNote:
        break;
    }
    return false;
  }

  bool long_fields(Entry& entry) {
    uint64_t length;
    if (!number(length) || length > static_cast<uint64_t>(end_ - at_)) return false;
    const unsigned char* stop = at_ + length;
    uint64_t delta;
    const unsigned char* fields = get_varint(at_, stop, delta);
    if (fields == nullptr) return false;
    entry.time = entry.end_time = time_ += delta;
    entry.fields = {reinterpret_cast<const char*>(fields), static_cast<size_t>(stop - fields)};
    at_ = stop;
    return true;
  }

  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  uint64_t time_ = 0;
  uint64_t pointer_ = 0;
  bool damaged_ = false;
};

// Takes the fields of a long entry apart, in order.
class FieldReader {
 public:
  explicit FieldReader(std::string_view fields) : left_(fields) {}

  bool number(uint64_t& value) {
    const auto* from = reinterpret_cast<const unsigned char*>(left_.data());
    const unsigned char* after = get_varint(from, from + left_.size(), value);
    if (after == nullptr) return false;
    left_.remove_prefix(static_cast<size_t>(after - from));
    return true;
  }

  bool bytes(uint64_t count, std::string_view& value) {
    if (count > left_.size()) return false;
    value = left_.substr(0, count);
    left_.remove_prefix(count);
    return true;
  }

  std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
};

}  // namespace heapledger::format
