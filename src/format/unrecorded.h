// Programs that a recorded process has started, or become, and that could not be recorded: a table
// in the header page of its ledger, at kUnrecordedOffset. They have no ledger of their own, so this
// is all that is known of them. docs/format.md says the same in words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/layout.h"

namespace heapledger::format {

// Why. Values are part of the format.
enum class Unrecorded : uint32_t {
  kNone = 0,
  kAddressSanitizer = 1,
  kThreadSanitizer = 2,
  kLeakSanitizer = 3,
  kMemorySanitizer = 4,
  kHwAddressSanitizer = 5,
  kOtherLibrary = 6,  // musl or another C library
  kNarrow = 7,        // a program of 32 bits
  kOtherMachine = 8,
  kStatic = 9,
  kPrivileged = 10,  // setuid, setgid, capabilities: the loader preloads nothing
  kNoLedger = 11,    // it could not create a ledger
  kOutOfReach = 12,  // it cannot read our library: chroot, or another user
  kCleared = 13,     // it was started without our variables
  kFiltered = 14,    // forked behind a system call filter, where no file can be opened
};
inline constexpr uint32_t kUnrecordedReasons = 16;
// In a record: somebody is writing it.
inline constexpr uint32_t kUnrecordedBusy = 0xffff'ffff;

struct UnrecordedRecord {
  uint32_t reason;  // Unrecorded, stored last; 0: a free place
  uint32_t pid;
  uint32_t error;  // errno behind it, or 0
  char name[28];   // of the program's file; a zero ends it where it is shorter
};
static_assert(sizeof(UnrecordedRecord) == 40);

inline constexpr uint32_t kUnrecordedOffset = 2064;
inline constexpr uint32_t kUnrecordedNamed = 49;
struct UnrecordedTable {
  uint32_t counts[kUnrecordedReasons];  // by reason, all of them
  uint64_t reserved;
  UnrecordedRecord records[kUnrecordedNamed];  // the first ones
};
static_assert(kUnrecordedOffset + sizeof(UnrecordedTable) == kMinHeaderBytes);

}  // namespace heapledger::format
