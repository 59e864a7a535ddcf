#include "runtime/bootstrap/recording.h"

#include <atomic>

#include "runtime/bootstrap/environment.h"
#include "runtime/bootstrap/log_place.h"
#include "runtime/bootstrap/next_program.h"
#include "runtime/bootstrap/process_info.h"
#include "runtime/bootstrap/resolve.h"
#include "runtime/bootstrap/summary_place.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/count_tables.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/ledger/unrecorded.h"
#include "runtime/ledger/window.h"
#include "runtime/modes/choose_mode.h"
#include "runtime/modes/control.h"
#include "runtime/modes/every.h"
#include "runtime/modes/live_blocks.h"
#include "runtime/modes/pools.h"
#include "runtime/modes/statistics.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/unwind/cross_check.h"
#include "runtime/unwind/modules.h"
#include "runtime/unwind/site.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/unloading.h"

namespace heapledger::runtime {
namespace {

constinit PathText path;
constinit std::atomic<bool> beginning{false};

void complain(const char* what, const char* about, long error) {
  static constinit os::Text<kMaxPath + 256> line;
  line.clear();
  line.add("heapledger: ").add(what).add(" ").add(about);
  if (error != 0) line.add(" (errno ").add_number(static_cast<uint64_t>(error)).add(")");
  line.add("; this process is not recorded\n");
  os::write_stderr(line.data(), line.size());
}

// With children=off: whether this process was started by a recorded one. `run` tells who is meant;
// by hand it is told by the parent, which has this library mapped, too.
bool is_child() {
  if (settings_in_force.owner != 0) return settings_in_force.owner != os::process_id();
  return parent_is_recorded();
}

// Makes the ledger for the process as it is now. Returns 0 or -errno.
long make_ledger(const ParentPosition* parent) {
  const settings::PathValue& out = settings_in_force.out;
  const char* pattern = out.given() ? out.text : "%e.%p.ledger";
  if (!expand_pattern(pattern, name_facts(), process_info.folder.data(), path)) return -EINVAL;
  restart_memory_samples();
  long error = create_ledger({&path, settings_in_force.run_id, parent});
  if (error == 0) watch_orders();
  if (error == 0) find_summary_place();
  return error;
}

// In a forked child that has no ledger: after setuid, say. It is told in its parent's.
void tell_parent(format::FileHeader* parents_header, long error) {
  note_unrecorded(parents_header, {format::Unrecorded::kNoLedger, os::process_id(),
                                   static_cast<uint32_t>(error), process_info.name.data()});
}

// In a forked child, inside its first hook: leaves the parent's ledger and begins its own.
void begin_in_child() {
  if (!settings_in_force.children) return;
  if (beginning.exchange(true, std::memory_order_acquire)) return;
  if (filter_expected()) {  // inherited: no file can be opened here either, nor anything be asked
    note_unrecorded(ledger_header(),
                    {format::Unrecorded::kFiltered, 0, 0, process_info.name.data()});
    return;
  }
  ParentPosition position = parent_position();
  process_info.parent_ledger = ledger_path();
  os::forget_descriptors();
  restart_statistics_after_fork();
  forget_count_tables();
  forget_windows();
  forget_orders();
  format::FileHeader* parents_header = ledger_header();
  forget_ledger();
  // Live mode's tables in memory are this process's now, with the sites in them.
  bool keep_tables = live_tables_wanted() && settings_in_force.tables == settings::Tables::kMemory;
  if (!keep_tables) live_image_ready.store(false, std::memory_order_release);
  if (live_tables_wanted()) forget_live_records(!keep_tables);
  if (!keep_tables) forget_sites();
  forget_unloads();
  begin_epoch();  // what memos know are the parent's sites
  long error = make_ledger(&position);
  if (error == 0) enter_missed_before();
  if (error == 0 && live_tables_wanted()) inherit_live_image();
  if (error != 0) tell_parent(parents_header, -error);
  // In off mode a child may have threads by now, and each looks for orders.
  if (settings_in_force.mode != settings::Mode::kOff) unmap_header(parents_header);
  find_log_place();
  beginning.store(false, std::memory_order_release);
}

void introduce(Window& window) {
  enter_process_info(window);
  reenter_modules(window, now_units());
  reenter_pools(window);
}

}  // namespace

bool read_settings() {
  static constinit settings::WrongWord wrong;
  const char* text = environment("HEAPLEDGER");
  if (text == nullptr || settings::parse(text, settings_in_force, wrong)) return true;
  complain(wrong.known == nullptr ? "HEAPLEDGER has a word that is not understood:"
                                  : "HEAPLEDGER has a value that is not understood:",
           wrong.text, 0);
  return false;
}

bool load_allocator() {
  const char* reason = load_real_heap(settings_in_force.allocator.text);
  if (reason != nullptr) complain("cannot use the allocator of allocator=:", reason, 0);
  return reason == nullptr;
}

bool begin_recording() {
  if (!settings_in_force.children && is_child()) return false;
  choose_clock();
  depth_limit = settings_in_force.depth;
  stack_sizes.set(settings_in_force.stacks_at_least, settings_in_force.stacks_at_most);
  cross_check_every = settings_in_force.cross_check;
  prepare_modules(settings_in_force.by_mappings);
  gather_process_info();
  begin_after_fork = begin_in_child;
  introduce_process = introduce;
  look_for_orders = look_at_orders_in;
  if (settings_in_force.every_ns != 0) on_memory_sample = summarize_when_due;
  prepare_mode = find_log_place;
  long error = make_ledger(nullptr);
  bool live = settings_in_force.mode == settings::Mode::kLive;
  if (error == 0 && live && !raise_live_image()) error = -ENOMEM;
  if (error != 0) {
    complain("cannot create", path.data(), -error);
    return false;
  }
  prepare_departures(ledger_path().data());
  find_log_place();
  EntryGuard first_window(Missed::kNothing);
  return true;
}

}  // namespace heapledger::runtime
