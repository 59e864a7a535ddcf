// What is resident, by mapping: the entry of kind kResident. The recorder says what the kernel and
// its own books tell it apart; whose the memory is follows from the rest of the ledger.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/entry_decoder.h"
#include "format/entry_encoder.h"

namespace heapledger::format {

// Values are part of the format; a reader counts one that it does not know as kOther.
enum class ResidentKind : uint32_t {
  kOther = 0,        // nothing else is known about it
  kHeap = 1,         // what brk extends
  kAnonymous = 2,    // private memory without a file: malloc's, or mapped by anybody
  kMainStack = 3,    // of the first thread
  kThreadStack = 4,  // private memory behind a guard, or with a thread's own variables
  kCode = 5,         // an executable or a library: its code, its data, its zeroed data
  kFile = 6,         // any other file, and memory that is shared
  kRecorder = 7,     // the recorder's own: its library, its tables, its windows of the ledger
};
inline constexpr unsigned kResidentKinds = 8;

// A mapping, or several that belong together. `resident` leaves out what is the recorder's.
struct ResidentRange {
  ResidentKind kind = ResidentKind::kOther;
  uint64_t start = 0;  // 0, and no bytes: the sum of those too small to be told one by one
  uint64_t bytes = 0;
  uint64_t resident = 0;
};

// An entry has so many at the most, and one more of each kind for the rest.
inline constexpr unsigned kMaxResidentRanges = 128;
inline constexpr unsigned kMaxResidentEntryBytes =
    LongEntry::kLongOverhead + 2 * 9 + (kMaxResidentRanges + kResidentKinds) * (1 + 3 * 9);

class ResidentReader {
 public:
  explicit ResidentReader(std::string_view fields) : fields_(fields) {
    good_ = fields_.number(total) && fields_.number(swapped);
  }
  bool good() const { return good_; }

  // False behind the last one.
  bool next(ResidentRange& range) {
    uint64_t kind = 0;
    if (!good_ || fields_.rest().empty() || !fields_.number(kind) || !fields_.number(range.start) ||
        !fields_.number(range.bytes) || !fields_.number(range.resident)) {
      return false;
    }
    range.kind = kind < kResidentKinds ? static_cast<ResidentKind>(kind) : ResidentKind::kOther;
    return true;
  }

  uint64_t total = 0;    // of all that is resident
  uint64_t swapped = 0;  // of what was there before

 private:
  FieldReader fields_;
  bool good_ = false;
};

}  // namespace heapledger::format
