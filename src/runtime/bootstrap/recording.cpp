#include "runtime/bootstrap/recording.h"

#include <unistd.h>

#include <atomic>

#include "runtime/bootstrap/process_info.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/ledger/window.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/unwind/cross_check.h"
#include "runtime/unwind/modules.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {
namespace {

constinit const Config* in_force = nullptr;
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

// Makes the ledger for the process as it is now. Returns 0 or -errno.
long make_ledger(const ParentPosition* parent) {
  NameFacts facts = {process_info.executable_name(), process_info.host.data(), os::process_id(),
                     os::read_clocks().realtime_ns / 1'000'000'000u};
  if (!expand_pattern(in_force->out.data(), facts, process_info.folder.data(), path)) {
    return -EINVAL;
  }
  restart_memory_samples();
  return create_ledger({&path, in_force->run_id, parent});
}

// In a forked child, inside its first hook: leaves the parent's ledger and begins its own.
void begin_in_child() {
  if (beginning.exchange(true, std::memory_order_acquire)) return;
  ParentPosition position = {UINT32_MAX, 0, 0};
  if (const Window* window = thread_slot.window; window != nullptr) {
    position = {window->id(), window->used(), window->seq};
  }
  process_info.parent_ledger = ledger_path();
  os::forget_descriptors();
  forget_windows();
  forget_ledger();
  forget_sites();
  code_epoch.fetch_add(1, std::memory_order_relaxed);  // what memos know are the parent's sites
  make_ledger(&position);
  beginning.store(false, std::memory_order_release);
}

void introduce(Window& window) {
  enter_process_info(window);
  reenter_modules(window, now_units());
}

// HEAPLEDGER before libc has set up environ: the first hook may come that early.
const char* early_environment(const char* name) {
  static constinit char text[16384] = {};
  int fd = os::open_readonly("/proc/self/environ");
  if (fd < 0) return nullptr;
  size_t bytes = 0;
  long got;
  while (bytes < sizeof text - 1 &&
         (got = os::read_some(fd, text + bytes, sizeof text - 1 - bytes)) > 0) {
    bytes += static_cast<size_t>(got);
  }
  os::close_file(fd);
  size_t length = strlen(name);
  for (const char* at = text; at < text + bytes; at += strlen(at) + 1) {
    if (strncmp(at, name, length) == 0 && at[length] == '=') return at + length + 1;
  }
  return nullptr;
}

const char* environment(const char* name) {
  if (environ == nullptr) return early_environment(name);
  size_t length = strlen(name);
  for (char** at = environ; *at != nullptr; ++at) {
    if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') return *at + length + 1;
  }
  return nullptr;
}

}  // namespace

bool read_config(Config& config) {
  static constinit PathText wrong;
  config.out.clear();
  config.out.add("%e.%p.ledger");
  const char* text = environment("HEAPLEDGER");
  if (text == nullptr || parse_config(text, config, wrong)) return true;
  complain("HEAPLEDGER has a word that is not understood:", wrong.data(), 0);
  return false;
}

bool begin_recording(const Config& config) {
  in_force = &config;
  choose_clock();
  depth_limit = config.depth;
  cross_check_every = config.cross_check;
  prepare_modules(config.by_mappings);
  gather_process_info();
  begin_after_fork = begin_in_child;
  introduce_process = introduce;
  long error = make_ledger(nullptr);
  if (error != 0) {
    complain("cannot create", path.data(), -error);
    return false;
  }
  EntryGuard first_window;
  return true;
}

}  // namespace heapledger::runtime
