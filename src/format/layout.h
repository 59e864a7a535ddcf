// The fixed structures of a ledger file: the file header and the header that opens every extent.
//
// This is half of the contract between the runtime and everything that reads ledgers (entry.h is
// the other half); docs/format.md says the same in words. All integers are little-endian. Nothing
// here may depend on more than freestanding C++: the runtime includes it inside other programs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapledger::format {

inline constexpr char kFileMagic[8] = {'H', 'P', 'L', 'E', 'D', 'G', 'E', 'R'};
inline constexpr uint32_t kVersion = 2;

// The file header takes max(kMinHeaderBytes, page size) bytes; extents of kExtentBytes follow it.
inline constexpr uint32_t kMinHeaderBytes = 4096;
inline constexpr uint32_t kExtentBytes = 65536;

inline constexpr uint32_t kWindowMagic = 0x57'4c'48'b1;  // bytes B1 'H' 'L' 'W'
inline constexpr uint32_t kChunkMagic = 0x43'4c'48'b1;   // bytes B1 'H' 'L' 'C'

// One instant on both of the clocks that matter: the tick counter that stamps entries, and the
// system's. Two of them far apart give the length of a tick.
struct ClockPair {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
};

// Why recording ended before the process did. Values are part of the format.
enum class StopReason : uint32_t {
  kNone = 0,
  kDiskFull = 1,         // ENOSPC
  kQuota = 2,            // EDQUOT
  kFileSizeLimit = 3,    // RLIMIT_FSIZE
  kNoPermission = 4,     // EACCES, EPERM, EROFS
  kFileGone = 5,         // ENOENT or another file at that path: deleted, renamed, or chroot
  kNoMemory = 6,         // mmap failed: RLIMIT_AS or the machine's limit
  kNoDescriptors = 7,    // EMFILE, ENFILE
  kIoError = 8,          // any other errno
  kSeccomp = 9,          // a system call filter was installed and the reserve is used up
  kTooManyThreads = 10,  // more live threads than windows
  kNoTicks = 11,         // the program forbade the tick counter (PR_SET_TSC)
};

// How this process came to be.
enum class Origin : uint32_t {
  kStarted = 0,  // a fresh image: fork + exec, posix_spawn, or exec in place
  kForked = 1,   // a fork of a recorded process: its live blocks are inherited
};

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint32_t extent_bytes;
  uint32_t time_shift;  // one unit of entry time is 2^time_shift ticks
  uint32_t page_bytes;
  uint32_t machine;  // ELF e_machine: 62 x86-64, 183 AArch64
  uint32_t pid;
  uint32_t parent_pid;
  uint64_t run_id;  // the same in all ledgers of one `heapledger run`; 0 by hand
  ClockPair start;  // when recording began

  // The newest clock pair is latest[latest_index & 1]; zero ticks: none yet.
  ClockPair latest[2];
  uint32_t latest_index;

  // For a forked process: the parent's position, so that a reader can find what it had live.
  uint32_t origin;  // Origin
  uint32_t parent_window;
  uint32_t parent_offset;  // payload bytes of that extent written before the fork
  uint64_t parent_seq;

  // Written while recording.
  uint32_t stop_reason;  // StopReason
  uint32_t stop_errno;
  uint64_t stop_ticks;
  uint64_t exit_ticks;  // when exit handlers ran; 0: not (yet), the process was killed or runs
  uint64_t missed;      // entries that could not be made by threads that had no window

  // Cross-check mode: stacks compared with another unwinder, and those that differed.
  uint64_t stacks_checked;
  uint64_t stacks_differing;

  // What the recording was begun with; zeros: trace, of everything.
  uint32_t mode;          // settings::Mode
  uint32_t flags;         // HeaderFlag
  uint64_t sample_bytes;  // sample mode: mean distance in bytes; 0: by calls
  uint64_t sample_calls;  // sample mode: mean distance in calls; 0: by bytes
};

enum HeaderFlag : uint32_t {
  kFlagTime = 1,   // samples carry the time that they stand for
  kFlagMaps = 2,   // mmap and its like are entered
  kFlagGuard = 4,  // bytes around each block are checked
};

// Orders to a running program, at kControlOffset of the header. The one who orders (holding a lock
// on the file) sets `pid` to 0, writes the words, adds one to `requested` and sets `pid`; the next
// hook of that process carries them out, writes the result, and sets `done` to the number it has
// served. A forked process that has no ledger of its own yet takes orders from its parent's.
inline constexpr uint32_t kControlOffset = 1024;
struct Control {
  uint64_t requested;
  uint64_t done;
  uint32_t result;  // ControlResult
  uint32_t pid;     // of the process that is meant; 0: the order is being written
  uint32_t mode;    // settings::Mode in force now, of the process that writes the ledger
  uint32_t reserved;
  char words[992];  // text with a zero byte at its end
};
enum class ControlResult : uint32_t {
  kDone = 0,
  kUnknownOrder = 1,
  kWrongWords = 2,    // of a change of mode
  kNotRecording = 3,  // recording has stopped for good
  kNotNow = 4,        // another change is under way
};
static_assert(sizeof(Control) == 1024);

// Live mode: where in the process the header of its tables is (format/live_tables.h); u64, 0: none.
inline constexpr uint32_t kLiveAddressOffset = 2048;
static_assert(offsetof(FileHeader, run_id) == 40);
static_assert(offsetof(FileHeader, start) == 48);
static_assert(offsetof(FileHeader, latest) == 72);
static_assert(offsetof(FileHeader, latest_index) == 120);
static_assert(offsetof(FileHeader, parent_seq) == 136);
static_assert(offsetof(FileHeader, stop_ticks) == 152);
static_assert(offsetof(FileHeader, missed) == 168);
static_assert(offsetof(FileHeader, mode) == 192);
static_assert(sizeof(FileHeader) == 216);

// Opens every extent. A window is the place a thread is appending to, mapped shared; a chunk is the
// copy of a full window. (window, seq) tells a chunk from the window it was copied from.
struct ExtentHeader {
  uint32_t magic;
  uint32_t window;     // id of the window; one stream of entries in time order
  uint64_t seq;        // counts the fillings of this window from 0
  uint64_t base_time;  // time units; what the first entry's time delta adds to
  uint32_t thread;     // index of the thread in charge at the first entry
  uint32_t bytes;      // chunk: payload bytes in use; window: 0, the first zero tag is the end
  uint64_t checksum;   // chunk: of the payload bytes in use; window: 0
  uint64_t missed;     // entries that this window's threads could not make so far
  uint64_t reserved;
  uint64_t header_checksum;  // chunk: of the bytes above; window: 0
};
static_assert(sizeof(ExtentHeader) == 64);
static_assert(offsetof(ExtentHeader, header_checksum) == 56);

inline constexpr uint32_t kPayloadBytes = kExtentBytes - sizeof(ExtentHeader);

}  // namespace heapledger::format
