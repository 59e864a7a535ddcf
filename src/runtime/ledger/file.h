// The ledger file of this process: created once, grown extent by extent, reopened by path for each
// growth step and closed again, so that the program's descriptors and ours never meet. When
// growing fails, recording stops for good and the header says why; the program never notices.
//
// Thread safety: create_ledger and forget_ledger run while no other thread of ours is inside;
// everything else may be called by any thread at any time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/layout.h"
#include "runtime/ledger/naming.h"

namespace heapledger::runtime {

enum class Status : uint32_t {
  kIdle,       // no ledger: not begun, or it could not be created
  kRecording,  // entries are being made
  kStopped,    // there is a ledger, nothing more goes into it
};

// Where a forked process's parent stood.
struct ParentPosition {
  uint32_t window;
  uint32_t offset;
  uint64_t seq;
};

struct LedgerRequest {
  const PathText* path;  // the wanted path; a number is inserted if it is taken
  uint64_t run_id;
  const ParentPosition* parent;  // null: not forked from a recorded process
};

// Creates the file, maps its header and lights the beacon. Returns 0 or -errno.
long create_ledger(const LedgerRequest& request);

// In a forked child: drops the parent's file without touching it. Its header stays mapped, until
// that is undone by hand: other threads may be looking at it.
void forget_ledger();
void unmap_header(format::FileHeader* header);

// Deletes the file, if it is still where we made it. It stays mapped, and recording goes on.
void remove_ledger();

Status ledger_status();
const PathText& ledger_path();
// The header in the file, mapped; null while idle.
format::FileHeader* ledger_header();
// The place for orders in it; null while idle.
format::Control* ledger_control();

// Adds an extent at the end of the file, reserved and mapped. Null: recording has stopped.
format::ExtentHeader* add_window();

// Appends a chunk: `header` is completed here. False: recording has stopped.
bool append_chunk(format::ExtentHeader& header, const unsigned char* payload);

// For the tables of live mode: adds `bytes` of zeroed file to the ledger, mapped, or a copy of
// memory. Null or false: recording has stopped.
void* add_live_extent(size_t bytes);
bool append_live_extent(const void* content, size_t bytes);

// Ends recording for good; the first reason stays.
void stop_recording(format::StopReason reason, long error);

// The program is about to install a system call filter: takes a reserve of mapped extents now, and
// makes no system call from here on. Recording goes on until the reserve is used up.
void expect_filter();
// The kernel refused what was expected: all is as before.
void filter_refused();
// One is installed that nobody expected, or that forbids even the tick counter: recording ends, and
// no forked child begins one.
void filter_installed(format::StopReason reason);
// Whether a system call may be the program's death.
bool filter_expected();

}  // namespace heapledger::runtime
