#include "runtime/bootstrap/recording.h"

#include <atomic>

#include "runtime/bootstrap/environment.h"
#include "runtime/bootstrap/forked_state.h"
#include "runtime/bootstrap/next_program.h"
#include "runtime/bootstrap/process_info.h"
#include "runtime/bootstrap/resolve.h"
#include "runtime/bootstrap/summary_place.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/layers_above.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/ledger/unrecorded.h"
#include "runtime/ledger/window.h"
#include "runtime/modes/control.h"
#include "runtime/modes/pools.h"
#include "runtime/os/only_thread.h"
#include "runtime/os/together.h"
#include "runtime/unwind/cross_check.h"
#include "runtime/unwind/modules.h"
#include "runtime/unwind/site.h"

namespace heapledger::runtime {
namespace {

constinit PathText new_ledger_path;
constinit bool begun = false;  // by begin_recording: else a forked child begins nothing either
// The process that is beginning its ledger. Not a mere flag: another thread may fork meanwhile.
HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> beginning{0};

void complain(const char* what, const char* about, long error) {
  static constinit os::Text<kMaxPath + 768> line;
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
  if (!expand_pattern(pattern, name_facts(), process_info.folder.data(), new_ledger_path))
    return -EINVAL;
  long error = create_ledger({&new_ledger_path, settings_in_force.run_id, parent});
  if (error == 0) watch_orders();
  if (error == 0) find_summary_place();
  return error;
}

// In a forked child that has no ledger: after setuid, say. It is told in its parent's.
void tell_parent(format::FileHeader* parents_header, long error) {
  note_unrecorded(parents_header, {format::Unrecorded::kNoLedger, os::process_id(),
                                   static_cast<uint32_t>(error), process_info.name.data()});
}

}  // namespace

void begin_in_child() {
  if (!begun || !settings_in_force.children) return;
  // With a filter, which is for good, nobody can be asked who we are.
  uint32_t own = filter_expected() ? UINT32_MAX : os::process_id();
  uint32_t holder = beginning.load(std::memory_order_relaxed);
  if (holder == own || !beginning.compare_exchange_strong(holder, own)) return;
  if (own == UINT32_MAX) {  // inherited: no file can be opened here either, nor anything be asked
    note_unrecorded(ledger_header(),
                    {format::Unrecorded::kFiltered, 0, 0, process_info.name.data()});
    return;
  }
  ParentPosition position = parent_position();
  process_info.parent_ledger = ledger_path();
  format::FileHeader* parents_header = ledger_header();
  reset_after_fork();
  long error = make_ledger(&position);
  if (error == 0) enter_missed_before();
  if (error == 0 && live_tables_wanted()) inherit_live_image();
  if (error != 0) tell_parent(parents_header, -error);
  // In off mode a child may have threads by now, and each looks for orders.
  if (settings_in_force.mode != settings::Mode::kOff) unmap_header(parents_header);
  prepare_mode();
  beginning.store(0, std::memory_order_release);
}

void introduce_process(Window& window) {
  if (!begun) return;
  enter_process_info(window);
  reenter_modules(window, now_units());
  reenter_pools(window);
}

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
  if (reason == nullptr) return true;
  static constinit os::Text<kMaxPath + 512> about;
  about.clear();
  about.add(reason);
  // jemalloc and others have variables of threads that only a library has room for which is there
  // when the program starts.
  if (strstr(reason, "static TLS") != nullptr) {
    about
        .add(". Such a library has to be loaded with the program: take heapledger run --allocator ")
        .add(settings_in_force.allocator.text)
        .add(", or without allocator= both, the recorder first: LD_PRELOAD='libheapledger.so ")
        .add(settings_in_force.allocator.text)
        .add("'");
  }
  complain("cannot use the allocator of allocator=:", about.data(), 0);
  return false;
}

bool begin_recording() {
  if (!settings_in_force.children && is_child()) return false;
  choose_clock();
  depth_limit = settings_in_force.depth;
  stack_sizes.set(settings_in_force.stacks_at_least, settings_in_force.stacks_at_most);
  cross_check_every = settings_in_force.cross_check;
  prepare_modules(settings_in_force.by_mappings);
  gather_process_info();
  begun = true;
  long error = make_ledger(nullptr);
  bool live = settings_in_force.mode == settings::Mode::kLive;
  if (live) os::set_single_thread_word(find_single_thread_word());
  if (error == 0 && live && !raise_live_image()) error = -ENOMEM;
  if (error != 0) {
    complain("cannot create", new_ledger_path.data(), -error);
    return false;
  }
  prepare_departures(ledger_path().data());
  prepare_mode();
  EntryGuard first_window(Missed::kNothing);
  return true;
}

}  // namespace heapledger::runtime
