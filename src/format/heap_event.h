// What happens in a heap other than malloc's: one event, whichever entry it was written as.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/entry_decoder.h"
#include "format/entry_encoder.h"
#include "format/functions.h"

namespace heapledger::format {

// The numbers of heaps in a ledger. These two need no kHeap entry.
inline constexpr uint32_t kMallocHeap = 0;
inline constexpr uint32_t kMappingHeap = 1;
inline constexpr uint32_t kFirstOtherHeap = 2;

// What a heap is. Values are part of the format.
enum class HeapKind : uint32_t {
  kMalloc = 0,
  kMappings = 1,  // address ranges: given back in parts, mapped over
  kPool = 2,      // of the program's own; lies in memory of another heap
};

// What is done differently for each kind: a row.
struct HeapKindRow {
  HeapKind kind;
  const char* word;  // in JSON
  bool is_inside;    // lies in memory that another heap has already: never added to that one
  bool has_ranges;   // its blocks are address ranges that are given back in parts
};
inline constexpr std::array<HeapKindRow, 3> kHeapKinds = {{
    {HeapKind::kMalloc, "malloc", false, false},
    {HeapKind::kMappings, "mappings", false, true},
    {HeapKind::kPool, "pool", true, false},
}};

// A kind that this reader does not know is taken for a pool.
inline constexpr const HeapKindRow& row_of(HeapKind kind) {
  for (const HeapKindRow& row : kHeapKinds) {
    if (row.kind == kind) return row;
  }
  return kHeapKinds[static_cast<size_t>(HeapKind::kPool)];
}

struct HeapEvent {
  Event event = Event::kNote;
  uint32_t heap = 0;
  uint32_t function = 0;     // a Function, or one that this reader does not know
  uint64_t old_pointer = 0;  // resize
  uint64_t old_size = 0;     // resize, in a heap of mappings
  uint64_t pointer = 0;
  uint64_t size = 0;  // death: so many bytes from there, in a heap of mappings
  uint32_t site = 0;
};

struct HeapNote {
  uint32_t heap = 0;
  HeapKind kind = HeapKind::kPool;
  std::string_view name;
};

namespace detail {

class EventReader {
 public:
  explicit EventReader(std::string_view fields) : fields_(fields) {}

  EventReader& number(uint64_t& value) {
    good_ = good_ && fields_.number(value);
    return *this;
  }
  EventReader& number(uint32_t& value, uint32_t add = 0) {
    uint64_t wide = 0;
    number(wide);
    good_ = good_ && wide <= UINT32_MAX - add;
    value = static_cast<uint32_t>(wide) + add;
    return *this;
  }
  bool good() const { return good_; }
  std::string_view rest() const { return fields_.rest(); }

 private:
  FieldReader fields_;
  bool good_ = true;
};

// Version 1: mmap and its like.
inline bool read_mapping(const Entry& entry, HeapEvent& event) {
  EventReader from(entry.fields);
  event.heap = kMappingHeap;
  auto is = [&event](Event what, Function function) {
    event.event = what;
    event.function = static_cast<uint32_t>(function);
  };
  switch (entry.kind) {
    case Kind::kMap:
      is(Event::kBirth, Function::kMmap);
      return from.number(event.pointer).number(event.size).number(event.site).good();
    case Kind::kUnmap:
      is(Event::kDeath, Function::kMunmap);
      return from.number(event.pointer).number(event.size).good();
    case Kind::kRemap:
      is(Event::kResize, Function::kMremap);
      from.number(event.old_pointer).number(event.old_size).number(event.pointer);
      return from.number(event.size).number(event.site).good();
    default:
      break;
  }
  uint64_t old_end = 0, end = 0;
  if (!from.number(old_end).number(end).number(event.site).good()) return false;
  is(end > old_end ? Event::kBirth : Event::kDeath, Function::kBrk);
  event.pointer = end > old_end ? old_end : end;
  event.size = end > old_end ? end - old_end : old_end - end;
  return true;
}

// Version 1: the pool of number n is heap n + 1.
inline bool read_pool(const Entry& entry, HeapEvent& event) {
  EventReader from(entry.fields);
  from.number(event.heap, kFirstOtherHeap - 1);
  auto is = [&event](Event what, Function function) {
    event.event = what;
    event.function = static_cast<uint32_t>(function);
  };
  switch (entry.kind) {
    case Kind::kPoolAllocate:
      is(Event::kBirth, Function::kPoolAllocate);
      return from.number(event.pointer).number(event.size).number(event.site).good();
    case Kind::kPoolFree:
      is(Event::kDeath, Function::kPoolFree);
      return from.number(event.pointer).good();
    default:
      is(Event::kResize, Function::kPoolResize);
      from.number(event.old_pointer).number(event.pointer);
      return from.number(event.size).number(event.site).good();
  }
}

}  // namespace detail

// What an event takes at the most, beside LongEntry::kLongOverhead.
inline constexpr unsigned kMaxHeapEventBytes = 64;

// The caller guarantees room, as for any entry.
inline void append_heap_event(EncoderState& state, uint64_t time, const HeapEvent& event) {
  Kind kind = event.event == Event::kBirth   ? Kind::kBirth
              : event.event == Event::kDeath ? Kind::kDeath
                                             : Kind::kResize;
  LongEntry entry(state, kind, time);
  entry.number(event.heap).number(event.function);
  if (kind == Kind::kResize) entry.number(event.old_pointer).number(event.old_size);
  entry.number(event.pointer).number(event.size);
  if (kind != Kind::kDeath) entry.number(event.site);
  entry.finish();
}

// False when the entry tells of no such event, or makes no sense.
inline bool read_heap_event(const Entry& entry, HeapEvent& event) {
  detail::EventReader from(entry.fields);
  auto good = [&] { return from.good() && event.heap != kMallocHeap; };
  switch (entry.kind) {
    case Kind::kBirth:
      event.event = Event::kBirth;
      from.number(event.heap).number(event.function).number(event.pointer);
      from.number(event.size).number(event.site);
      return good();
    case Kind::kDeath:
      event.event = Event::kDeath;
      from.number(event.heap).number(event.function).number(event.pointer);
      from.number(event.size);
      return good();
    case Kind::kResize:
      event.event = Event::kResize;
      from.number(event.heap).number(event.function).number(event.old_pointer);
      from.number(event.old_size).number(event.pointer).number(event.size);
      from.number(event.site);
      return good();
    case Kind::kMap:
    case Kind::kUnmap:
    case Kind::kRemap:
    case Kind::kBreak:
      return detail::read_mapping(entry, event);
    case Kind::kPoolAllocate:
    case Kind::kPoolFree:
    case Kind::kPoolResize:
      return detail::read_pool(entry, event);
    default:
      return false;
  }
}

// The same for the entry that gives a heap its name.
inline bool read_heap_note(const Entry& entry, HeapNote& note) {
  detail::EventReader from(entry.fields);
  uint32_t kind = static_cast<uint32_t>(HeapKind::kPool);
  if (entry.kind == Kind::kPool) {
    from.number(note.heap, kFirstOtherHeap - 1);
  } else if (entry.kind == Kind::kHeap) {
    from.number(note.heap).number(kind);
  } else {
    return false;
  }
  note.kind = static_cast<HeapKind>(kind);
  note.name = from.rest();
  return from.good();
}

}  // namespace heapledger::format
