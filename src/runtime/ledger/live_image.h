// The tables of live mode (format/live_tables.h): their header, and the memory of their parts. By
// default that is private memory, which core dumps have; with tables=file it is the ledger's.
//
// Thread safety: raise and forget while no other thread is inside; the rest may be called by any
// thread at any time. A part, once there, stays where it is.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/entry.h"
#include "format/live_tables.h"

namespace heapledger::runtime {

// Null: live mode is not what this process is recorded in.
extern format::LiveHeader* live_header __attribute__((visibility("hidden")));

// False while a forked child still has its parent's tables, which are in the parent's file.
extern std::atomic<bool> live_image_ready __attribute__((visibility("hidden")));

inline bool live_tables_wanted() {
  return live_header != nullptr;
}

// Makes the header. False: no memory for it.
bool raise_live_image();

// A forked child: goes on with what it has inherited, or, where that is in its parent's file, from
// nothing.
bool inherit_live_image();

// The same, before that: tables in the parent's file are not this process's.
void forget_live_image();

// The address of a part, made now if need be, zeroed. Null: no memory, or a system call filter
// forbids asking for it.
void* live_part(format::LiveKind kind, uint32_t part);

// The same, of those that are there already.
inline void* known_live_part(std::atomic<uint64_t>* places, uint32_t part) {
  return reinterpret_cast<void*>(places[part].load(std::memory_order_acquire));
}
// Of blocks and accounts; null until there is an image.
extern std::atomic<uint64_t>* live_block_places __attribute__((visibility("hidden")));
extern std::atomic<uint64_t>* live_account_places __attribute__((visibility("hidden")));

// Items below this may be in use.
void note_live_use(format::LiveKind kind, uint64_t items);

// What format::InfoKey tells; the texts begin anew with each description of the process.
void clear_live_texts();
void add_live_text(format::InfoKey key, const char* text, size_t bytes);

// Where a module is described; `state` is to be set last. Null: no memory for it.
format::LiveModule* live_module(uint32_t id);
void set_live_module_gone(uint32_t id);
// The number under which blocks have this thread.
uint32_t add_live_thread(uint32_t index, uint32_t tid, const char* name);
void rename_live_thread(uint32_t number, const char* name);

// An allocation could not be entered: there is no memory for it, or recording has stopped.
void miss_live_block();
// Recording has stopped, for that reason; the first one stays.
void note_live_stop(format::StopReason reason, long error);

// So late it is, and so much is resident.
void set_live_clock(const format::ClockPair& now, uint64_t rss_bytes);

// Whether the tables are in memory, and whoever ends the process has to write them.
bool live_tables_in_memory();

// The program ends: the parts go into the ledger, unless they are there already.
void write_live_image();

}  // namespace heapledger::runtime
