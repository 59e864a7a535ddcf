#include "runtime/modes/control.h"

#include <cstring>

#include "runtime/ledger/beacon.h"
#include "runtime/ledger/layers_above.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/choose_mode.h"
#include "runtime/modes/process_lock.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {
namespace {

using format::Control;
using format::ControlResult;

HEAPLEDGER_TOGETHER constinit uint64_t nothing_requested = 0;
// No number of orders ever gets there.
constexpr uint64_t kLookAgain = UINT64_MAX;

constinit ProcessLock::Word at_work{0};
constinit char words[sizeof(Control::words)] = {};  // for whoever is at work

// The rest of `words` after the order and a space, or null if it is another order.
const char* after(const char* order) {
  size_t length = strlen(order);
  if (strncmp(words, order, length) != 0) return nullptr;
  if (words[length] == '\0') return words + length;
  return words[length] == ' ' ? words + length + 1 : nullptr;
}

ControlResult mark(OpenWindow open, const char* name) {
  return enter_marker(open, name) ? ControlResult::kDone : ControlResult::kNotRecording;
}

ControlResult carry_out(OpenWindow open) {
  if (after("start") != nullptr) return resume_recording(open);
  if (after("stop") != nullptr) return pause_recording(open);
  if (const char* name = after("marker"); name != nullptr) return mark(open, name);
  if (const char* name = after("snapshot"); name != nullptr) return mark(open, name);
  if (const char* mode = after("mode"); mode != nullptr) return change_mode(mode, open);
  return ControlResult::kUnknownOrder;
}

uint32_t addressee(const Control& control) {
  return __atomic_load_n(&control.pid, __ATOMIC_ACQUIRE);
}

// Who is meant must be the same before and after the words were copied, and the number too: then
// nobody wrote meanwhile.
void serve(Control& control, OpenWindow open) {
  uint64_t number = __atomic_load_n(&control.requested, __ATOMIC_ACQUIRE);
  uint32_t meant = addressee(control);
  if (meant == 0) return;  // being written
  if (number != order_watch.seen && meant == os::process_id()) {
    memcpy(words, control.words, sizeof words - 1);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (addressee(control) != meant || control.requested != number) return;
    // Before the order is carried out: that may lead to another ledger, with a watch of its own.
    __atomic_store_n(&order_watch.seen, number, __ATOMIC_RELAXED);
    control.result = static_cast<uint32_t>(carry_out(open));
    __atomic_store_n(&control.done, number, __ATOMIC_RELEASE);
    return;
  }
  __atomic_store_n(&order_watch.seen, number, __ATOMIC_RELAXED);
}

void look(OpenWindow open) {
  if (filter_expected()) return;  // no system calls any more
  ProcessLock held(at_work, 1);
  if (!held) return;
  Control* control = ledger_control();
  bool again = order_watch.seen == kLookAgain;
  if (again && control != nullptr) {
    __atomic_store_n(&order_watch.seen, control->done, __ATOMIC_RELAXED);
  }
  announce_changes(open);
  if (control != nullptr && orders_waiting()) serve(*control, open);
}

}  // namespace

HEAPLEDGER_TOGETHER constinit OrderWatch order_watch = {&nothing_requested, 0};

__attribute__((noinline, cold)) void look_at_orders() {
  if (!hook_at_work()) look({});
}

void look_at_orders_in(Window& window, uint64_t time) {
  if (orders_waiting()) look({&window, time});
}

void watch_orders() {
  Control* control = ledger_control();
  if (control == nullptr) return;
  control->mode = static_cast<uint32_t>(settings_in_force.mode);
  __atomic_store_n(&order_watch.seen, control->requested, __ATOMIC_RELAXED);
  __atomic_store_n(&order_watch.requested, &control->requested, __ATOMIC_RELEASE);
}

void forget_orders() {
  __atomic_store_n(&order_watch.requested, &nothing_requested, __ATOMIC_RELAXED);
  __atomic_store_n(&order_watch.seen, nothing_requested, __ATOMIC_RELAXED);
}

void look_again_for_orders() {
  __atomic_store_n(&order_watch.seen, kLookAgain, __ATOMIC_RELAXED);
}

}  // namespace heapledger::runtime
