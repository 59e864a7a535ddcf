// The tables of live mode: the live heap as the runtime keeps it in the program's memory, to be
// read out of a core dump, a plain dump of memory, the running process, or a ledger.
//
// Everything is found from the header, which begins with a magic text and says how it is laid out.
// A table is in parts, each of a fixed number of items, whose addresses are listed in the header's
// mapping. All numbers are in the machine's own byte order. Words are stored one by one, so that a
// reader who looks at any instant finds each of them old or new.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/layout.h"

namespace heapledger::format {

// Not a text that our own code or messages have anywhere else in memory: the runtime puts it
// together when the tables are there, from two halves.
inline constexpr char kLiveMagicHead[8] = {'\x7f', 'H', 'P', 'L', 'E', 'D', 'G', 'E'};
inline constexpr char kLiveMagicTail[8] = {'R', ':', 'l', 'i', 'v', 'e', '\n', '\x1a'};
inline constexpr uint32_t kLiveByteOrder = 0x01020304;
inline constexpr uint32_t kLiveVersion = 1;

enum class LiveKind : uint32_t {
  kBlocks = 1,    // LiveRecord
  kSites = 2,     // LiveNode; the id of a site is its index
  kAccounts = 3,  // LiveAccount; by site
  kModules = 4,   // LiveModule; the id of a module is its index
  kThreads = 5,   // LiveThread; by index of the thread
};
inline constexpr uint32_t kLiveKinds = 5;

struct LiveTable {
  uint32_t kind;        // LiveKind; 0: none
  uint32_t item_bytes;  // from one item to the next
  uint32_t part_items;
  uint32_t parts;   // how many addresses there are
  uint64_t places;  // offset from the header: u64 addresses of the parts; 0: not there yet
  uint64_t used;    // items below this may be in use
};

struct LiveHeader {
  char magic[16];
  uint32_t byte_order;  // kLiveByteOrder as this machine stores it
  uint32_t version;
  uint32_t word_bytes;    // of a pointer
  uint32_t mapped_bytes;  // the header, the places and the texts
  uint64_t self;          // address of this header
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t machine;  // ELF e_machine
  uint32_t page_bytes;
  uint32_t time_shift;  // a time in a block is (ticks − start.ticks) >> time_shift
  uint32_t flags;       // LiveFlag
  uint64_t sample_bytes;
  uint64_t sample_calls;
  ClockPair start;
  ClockPair latest[2];  // the newest is latest[latest_index & 1]; ticks 0: none yet
  uint32_t latest_index;
  uint32_t table_count;
  uint64_t missed;     // allocations that were not entered
  uint64_t unused;     // 0
  uint64_t rss_bytes;  // when the clock was last looked at
  uint32_t texts;      // offset from the header: texts, each u32 InfoKey, u32 bytes, the bytes
  uint32_t text_bytes;
  uint32_t stop_reason;   // StopReason: why blocks are missing; 0: none are
  uint32_t stop_errno;    // 0: none
  uint32_t first_thread;  // threads below this are of the process that this one was forked from
  uint32_t reserved_word;
  uint64_t reserved[2];
  LiveTable tables[8];
};

enum LiveFlag : uint32_t {
  kLiveSampled = 1,  // only a random choice of blocks is here
  kLiveStopped = 2,  // recording ended before the process: what was alive then
};

// Why recording stopped (StopReason), as readers say it of tables that were cut while they were
// written at the end; the errno is that of the cut. The runtime never writes it.
inline constexpr StopReason kTablesCut{13};

// A block. The address is stored in units of 8 bytes, 44 bits of them.
struct LiveRecord {
  uint32_t address_low;  // 0 with no high part: no block. Stored last, and cleared first
  uint32_t
      address_high_thread;  // bits 0-11: rest of the address; 12-27: thread; 28-31: counts uses
  uint32_t size_low;
  uint32_t site_size_high;  // bits 0-24: site; 25-31: rest of the size; all ones: that or more
  uint32_t time;
};
static_assert(sizeof(LiveRecord) == 20);
inline constexpr unsigned kLiveAddressShift = 3;
inline constexpr unsigned kLiveThreadShift = 12;
inline constexpr unsigned kLiveUseShift = 28;
inline constexpr unsigned kLiveSiteBits = 25;
inline constexpr uint64_t kLiveMaxSize = (uint64_t{1} << 39) - 1;
inline constexpr uint32_t kLiveOtherThreads = 0xFFFF;  // the thread of all that found no number

// A frame, as a site entry has it. The top bit of pc is set when its code was unloaded since.
struct LiveNode {
  uint64_t pc;  // 0: none
  uint32_t parent;
  uint32_t module;
};
static_assert(sizeof(LiveNode) == 16);
inline constexpr uint64_t kLiveForgotten = uint64_t{1} << 63;

struct LiveAccount {
  uint64_t calls;
  uint64_t bytes;
  uint64_t live;  // bytes
  uint64_t peak;  // most of them
};
static_assert(sizeof(LiveAccount) == 32);

struct LiveModule {
  uint64_t start;
  uint64_t end;
  uint64_t bias;
  uint32_t state;  // 0: none, 1: loaded, 2: gone
  uint32_t build_id_bytes;
  unsigned char build_id[32];
  char path[448];  // with a zero at its end; of a longer one the end
};
static_assert(sizeof(LiveModule) == 512);

struct LiveThread {
  uint32_t tid;  // 0: none
  uint32_t reserved;
  char name[16];
};
static_assert(sizeof(LiveThread) == 24);

// In a ledger a part is an extent header with this magic and then the part's bytes: seq is the
// address where it was, base_time how many bytes follow the header. It takes as many extents as it
// needs.
inline constexpr uint32_t kLiveBlockMagic = 0x4c'4c'48'b1;  // bytes B1 'H' 'L' 'L'

}  // namespace heapledger::format
