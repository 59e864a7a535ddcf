// What an entry can be, and the tag byte that opens it.
//
// The low two bits of a tag tell the three shapes apart; a zero byte where a tag should be means
// that the stream ends here. malloc and free, nearly all of the traffic, carry their time delta in
// the tag's upper six bits (63: a varint follows). Everything else has its kind there.
#pragma once

#include <cstdint>

namespace heapledger::format {

inline constexpr unsigned kShapeFree = 1;    // [time in tag] pointer
inline constexpr unsigned kShapeMalloc = 2;  // [time in tag] pointer site size
inline constexpr unsigned kShapeOther = 3;   // kind in tag
inline constexpr unsigned kTimeEscape = 63;

// Kinds below kFirstLongKind have fixed fields; from there on a length precedes the fields, so
// that a reader can step over a kind it does not know.
inline constexpr unsigned kFirstLongKind = 32;

enum class Kind : uint8_t {
  kEnd = 0,  // never in a tag: what the decoder returns at the end of a payload

  // Allocations: time pointer site size
  kCalloc = 1,
  kReallocNew = 2,  // realloc(NULL, n)
  kReallocArrayNew = 3,
  kValloc = 4,
  kPvalloc = 5,
  // Allocations with an alignment: time pointer site size alignment
  kPosixMemalign = 6,
  kAlignedAlloc = 7,
  kMemalign = 8,
  // A block that got another size: time old_pointer duration pointer site size. The old block
  // dies at `time`, the new one is born at `time` + `duration`.
  kRealloc = 9,
  kReallocArray = 10,
  // realloc to zero bytes that freed the block and returned NULL: time pointer
  kReallocFree = 11,
  kReallocArrayFree = 12,
  // Frees: time pointer
  kFreeSized = 13,
  kFreeAlignedSized = 14,
  // The two shapes with tags of their own; as Kind values they exist for decoded entries only.
  kMalloc = 15,
  kFree = 16,
  // In tags only, decoded as a calloc: at the time of the entry before: pointer site size
  kCallocSameTime = 17,

  // Long: length, then time, then:
  kThread = 32,      // index tid name: from here on this window speaks for that thread
  kThreadName = 33,  // name: the current thread is called so now
  kSite = 34,        // id parent module pc: parent 0 is the root; module 0 is none
  kModule = 35,      // id epoch start end bias build_id_bytes build_id path
  kUnload = 36,      // module: the module is gone; its address range may be used again
  kMemory = 37,      // rss_bytes rss_peak_bytes ticks monotonic_ns [rss_file_bytes]
  kInfo = 38,        // InfoKey text: pieces with one key are joined in order
  kFork = 39,        // the process is about to fork
  kCrossCheck = 40,  // ours_count theirs_count pcs pcs: a stack that two unwinders see differently
  kMarker = 41,      // text: a moment that the program gave a name
  kMode = 42,        // scope mode sample_bytes sample_calls: from here on recorded so; scope 0: the
                     // whole process, 1: this thread
  kSampleTime = 43,  // ns: the next allocation of this window stands for that time of its thread
  kMap = 44,         // version 1: pointer size site: mmap
  kUnmap = 45,       // version 1: pointer size
  kRemap = 46,       // version 1: old_pointer old_size pointer size site
  kBreak = 47,       // version 1: old_end end site: brk and sbrk
  kDamage = 48,      // pointer size site what offset: bytes around a block were overwritten
  kPool = 49,        // version 1: id name: a pool of the program's own, from here on
  kPoolAllocate = 50,  // version 1: pool pointer size site
  kPoolFree = 51,      // version 1: pool pointer
  kPoolResize = 52,    // version 1: pool old_pointer pointer size site
  kSiteBefore = 53,    // site calls bytes peak: what the site did beside the entries that are here

  // What happens in any other heap than malloc's, by any function (heap_event.h).
  kBirth = 54,   // heap function pointer size site
  kDeath = 55,   // heap function pointer size: so many bytes from there; 0: the block
  kResize = 56,  // heap function old_pointer old_size pointer size site; old_size likewise
  kHeap = 57,    // id HeapKind name: a heap, from here on
  kFrame = 58,   // id parent FrameKind module line file_bytes file name: a site without an address

  // Sites as a recorder writes them: the return addresses once, each with a number of its own, and
  // runs of new frames, from the outside in.
  kCode = 59,   // code module pc
  kChain = 60,  // id distance codes: sites id, id + 1, …, each the parent of the next; the parent
                // of the first is id - distance

  kResident = 61,  // total swapped, then for each mapping ResidentKind start bytes resident: what
                   // is resident of each (resident.h)
};

// Their lengths take so many bytes, so that the fields can be written before them.
inline constexpr unsigned length_bytes_of(Kind kind) {
  return kind >= Kind::kCode ? 2 : 4;
}

// Site addresses below kFirstCode are no code but marks: what the outermost frame of a stack hangs
// from when the stack is not whole.
inline constexpr uint64_t kFirstCode = 16;
inline constexpr uint64_t kMarkCut = 1;    // no unwind information, or memory that cannot be read
inline constexpr uint64_t kMarkDepth = 2;  // deeper than the limit: the innermost frames are kept
inline constexpr uint64_t kMarkNone = 3;   // not asked for: a site without any frame

// What a site is that has no address. Values are part of the format.
enum class FrameKind : uint32_t {
  kInterpreted = 1,  // a line of a script, with file and name
  kNamed = 2,        // a name, and whatever else is known: from recordings of other tools
};

// Facts about the process, as text.
enum class InfoKey : uint32_t {
  kCommand = 1,       // arguments, each followed by a zero byte
  kExecutable = 2,    // path
  kHost = 3,          // host name
  kFolder = 4,        // current folder at the start
  kParentLedger = 5,  // path of the ledger of the process this one was forked from
  kRuntime = 6,       // version of the runtime
  kAllocator = 7,     // path of the library whose malloc was called; none of static programs
  // Functions that another file has, too, where they are found before the recorder's: the path of
  // the file (empty: the executable) and their names, each followed by a zero byte.
  kBypass = 8,
  kRank = 9,  // among the processes of a parallel job, in decimal
  kJob = 10,  // of a batch system, or of what started the parallel job
};

inline constexpr unsigned shape_of(unsigned char tag) {
  return tag & 3u;
}
inline constexpr unsigned upper_of(unsigned char tag) {
  return tag >> 2;
}
inline constexpr unsigned char make_tag(unsigned shape, unsigned upper) {
  return static_cast<unsigned char>(upper << 2 | shape);
}

// Of an entry with fixed fields: whether its time is a field of its own.
inline constexpr bool has_time_behind(unsigned char tag) {
  if (shape_of(tag) != kShapeOther) return upper_of(tag) == kTimeEscape;
  return upper_of(tag) != static_cast<unsigned>(Kind::kCallocSameTime);
}

// No entry with fixed fields is longer than this, stores past its end included.
inline constexpr unsigned kMaxShortEntryBytes = 72;

}  // namespace heapledger::format
