#include "runtime/modes/choose_mode.h"

#include <cstring>

#include "runtime/ledger/layers_above.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/control.h"
#include "runtime/modes/process_lock.h"
#include "runtime/modes/statistics.h"
#include "runtime/os/text.h"
#include "runtime/os/together.h"
#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {
namespace {

using format::ControlResult;
using settings::Settings;

constexpr unsigned kPatience = 1000;
constexpr size_t kEntryBytes = 48;
constexpr uint64_t kProcess = 0;  // scopes of a kMode entry
constexpr uint64_t kThread = 1;

// Words that may change; what the others set up at the start stays.
constexpr const char* kChangeable[] = {"mode",  "sample",     "sample-calls",
                                       "weigh", "stacks-for", "log"};

constinit ProcessLock::Word changing{0};
HEAPLEDGER_TOGETHER constinit std::atomic<bool> unannounced{false};
// For whoever is changing: they are too large for a stack.
constinit Settings scratch = {};
constinit settings::WrongWord wrong = {};
constinit os::Text<sizeof(format::Control::words) + 8> text;

// Held while a change is made. A handler that interrupted the holder would wait for itself: it
// gives up after a while, and so does everybody.
struct Change : ProcessLock {
  Change() : ProcessLock(changing, kPatience) {}
};

template <typename Value>
void set(Value& field, Value value) {
  __atomic_store(&field, &value, __ATOMIC_RELAXED);
}

void put_in_force(const Settings& wanted) {
  Settings& now = settings_in_force;
  bool other_mode = now.mode != wanted.mode;
  set(now.sample_bytes, wanted.sample_bytes);
  set(now.sample_calls, wanted.sample_calls);
  set(now.weigh_time, wanted.weigh_time);
  set(now.stacks_at_least, wanted.stacks_at_least);
  set(now.stacks_at_most, wanted.stacks_at_most);
  set(now.log_time, wanted.log_time);
  set(now.log_thread, wanted.log_thread);
  set(now.log_stack, wanted.log_stack);
  set(now.mode, wanted.mode);
  stack_sizes.set(wanted.stacks_at_least, wanted.stacks_at_most);
  if (other_mode) prepare_mode();
}

void enter_mode(Window& window, uint64_t time, uint64_t scope, settings::Mode mode) {
  const Settings& now = settings_in_force;
  bool sampling = mode == settings::Mode::kSample;
  format::LongEntry(window.encoder, format::Kind::kMode, time)
      .number(scope)
      .number(static_cast<uint64_t>(mode))
      .number(sampling && now.sample_calls == 0 ? now.sample_bytes : 0)
      .number(sampling ? now.sample_calls : 0)
      .finish();
}

void announce(OpenWindow open) {
  bool entered = enter_note(open, kEntryBytes, [](Window& window, uint64_t time) {
    enter_mode(window, time, kProcess, mode_in_force());
  });
  if (entered || !hook_at_work()) return;
  unannounced.store(true, std::memory_order_release);
  look_again_for_orders();
}

settings::Mode& mode_before_pause() {
  static constinit settings::Mode mode = settings::Mode::kTrace;
  return mode;
}

ControlResult change(const Settings& wanted, OpenWindow open) {
  if (ledger_status() != Status::kRecording) return ControlResult::kNotRecording;
  // Live mode has another kind of ledger: it can be paused, and that is all.
  bool live = wanted.mode == settings::Mode::kLive;
  if (live != live_tables_wanted() && wanted.mode != settings::Mode::kOff) {
    return ControlResult::kWrongWords;
  }
  bool other_samples = wanted.sample_bytes != settings_in_force.sample_bytes ||
                       wanted.sample_calls != settings_in_force.sample_calls;
  if (live_tables_wanted() && other_samples) return ControlResult::kWrongWords;
  settings::Mode before = mode_in_force();
  if (before != settings::Mode::kOff) mode_before_pause() = before;
  // A forked process without a ledger begins one here, so that it starts with the mode it had.
  if (beacon->alive == 0) enter_note(open, 0, [](Window&, uint64_t) {});
  if (beacon->alive == 0) return ControlResult::kNotRecording;
  put_in_force(wanted);
  bool sampling = wanted.mode == settings::Mode::kSample;
  if (!sampling) announce(open);
  active_mode.store(functions_of(wanted.mode), std::memory_order_release);
  if (sampling) announce(open);
  if (format::Control* control = ledger_control(); control != nullptr && beacon->alive != 0) {
    set(control->mode, static_cast<uint32_t>(wanted.mode));
  }
  return ControlResult::kDone;
}

bool is_changeable(const char* word) {
  size_t length = strcspn(word, "= ");
  for (const char* name : kChangeable) {
    if (strlen(name) == length && strncmp(name, word, length) == 0) return true;
  }
  return false;
}

// Into `scratch`.
bool understand(const char* words) {
  words += strspn(words, " ");
  size_t first = strcspn(words, " ");
  text.clear();
  if (first == 0) return false;
  if (memchr(words, '=', first) == nullptr) text.add("mode=");
  text.add(words);
  if (text.was_cut()) return false;
  for (const char* at = text.data(); *at != '\0'; at += strspn(at, " ")) {
    if (!is_changeable(at)) return false;
    at += strcspn(at, " ");
  }
  scratch = settings_in_force;
  return settings::parse(text.data(), scratch, wrong);
}

ControlResult change_only_mode(settings::Mode mode, OpenWindow open) {
  scratch = settings_in_force;
  scratch.mode = mode;
  return change(scratch, open);
}

const Mode* plain_functions_of(settings::Mode mode) {
  switch (mode) {
    case settings::Mode::kTrace:
      return depth_limit == 1 && stack_sizes.hold_all() ? &kTraceCallersMode : &kTraceMode;
    case settings::Mode::kOff:
      return live_tables_wanted() ? &kLivePausedMode : &kOffMode;
    case settings::Mode::kCount:
      return &kCountMode;
    case settings::Mode::kLog:
      return &kLogMode;
    case settings::Mode::kSample:
      return settings_in_force.sample_calls != 0 ? &kSampleCallsMode : &kSampleBytesMode;
    case settings::Mode::kLive:
      if (!settings_in_force.live_sampled) return &kLiveMode;
      return settings_in_force.sample_calls != 0 ? &kLiveCallsMode : &kLiveBytesMode;
  }
  return &kPassThroughMode;
}

}  // namespace

const Mode* functions_of(settings::Mode mode) {
  const Mode* functions = plain_functions_of(mode);
  return statistics_wanted() ? with_statistics(functions) : functions;
}

settings::Mode mode_in_force() {
  settings::Mode mode;
  __atomic_load(&settings_in_force.mode, &mode, __ATOMIC_RELAXED);
  return mode;
}

ControlResult change_mode(const Settings& wanted, OpenWindow open) {
  Change held;
  return held ? change(wanted, open) : ControlResult::kNotNow;
}

ControlResult change_mode(const char* words, OpenWindow open) {
  Change held;
  if (!held) return ControlResult::kNotNow;
  return understand(words) ? change(scratch, open) : ControlResult::kWrongWords;
}

ControlResult pause_recording(OpenWindow open) {
  Change held;
  if (!held) return ControlResult::kNotNow;
  if (mode_in_force() == settings::Mode::kOff) return ControlResult::kDone;
  return change_only_mode(settings::Mode::kOff, open);
}

ControlResult resume_recording(OpenWindow open) {
  Change held;
  if (!held) return ControlResult::kNotNow;
  if (mode_in_force() != settings::Mode::kOff) return ControlResult::kDone;
  return change_only_mode(mode_before_pause(), open);
}

void keep_statistics() {
  if (statistics_wanted()) return;
  Change held;
  if (!held) return;
  set(settings_in_force.statistics, true);
  active_mode.store(functions_of(mode_in_force()), std::memory_order_release);
}

void change_stacks_for(uint64_t at_least, uint64_t at_most) {
  set(settings_in_force.stacks_at_least, at_least);
  set(settings_in_force.stacks_at_most, at_most);
  stack_sizes.set(at_least, at_most);
  if (depth_limit != 1) return;
  // Where it cannot be chosen anew, what is in force does the same, if not as quickly.
  Change held;
  if (held) active_mode.store(functions_of(mode_in_force()), std::memory_order_release);
}

void pause_thread(bool pause) {
  if (is_muted() == pause) return;
  if (!pause) mute_thread(false);
  settings::Mode mode = pause ? settings::Mode::kOff : mode_in_force();
  enter_note({}, kEntryBytes,
             [mode](Window& window, uint64_t time) { enter_mode(window, time, kThread, mode); });
  if (pause) mute_thread(true);
}

void announce_changes(OpenWindow open) {
  if (unannounced.exchange(false, std::memory_order_acq_rel)) announce(open);
}

void forget_changes() {
  unannounced.store(false, std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
