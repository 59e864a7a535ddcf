// The modules (executable and shared objects) of the process, as far as sites need them.
//
// A module becomes known at the start, after each dlclose, or when the first site inside it is
// born: then its code is on the stack of the caller, so it cannot go away while we look. That
// look-up (objects.h) takes no loader lock. dlopen is left alone: it finds files relative to its
// caller, and a hook would become that caller.
//
// A module is gone after the dlclose that unloaded it; while one is under way, whatever can be
// unloaded is looked up at each use (unloading.h). Where libc itself unloads one (iconv), that is
// noticed when a site is born in what has taken its place.
#pragma once

#include <cstdint>

#include "runtime/ledger/window.h"
#include "runtime/unwind/cfi_find.h"
#include "runtime/unwind/unloading.h"

namespace heapledger::runtime {

inline constexpr uint32_t kNoModule = 0;

// Called when a code is entered, inside a hook: the module around `pc`, entered into the ledger if
// it is new. What was known of another one at that place is forgotten.
uint32_t module_at(Window& window, uint64_t pc, uint64_t time);

// Whether something else than `module`, or than no module, is at `pc` now. Costs little.
bool is_replaced(uint32_t module, uint64_t pc);

// Whether the code before the return address `pc` is in a module that was loaded at the start of
// the program: nobody can unload it.
__attribute__((cold)) bool stays_loaded(uint64_t pc);

// Whether what is known about the code before `pc` may be of a module that is no longer there.
inline bool may_be_replaced(uint64_t pc) {
  return is_unloading() && pc >= format::kFirstCode && !stays_loaded(pc);
}

// Where the unwind information of the code around `pc` is. Takes no lock.
bool cfi_module_at(uint64_t pc, CfiModule& module);

// Compares with the loader's list; enters what is new and what is gone. Takes the loader's lock:
// never called from a heap hook.
void refresh_modules();

// A new ledger after a fork: enters all known modules again.
void reenter_modules(Window& window, uint64_t time);

// Once, at the start. `by_mappings`: does without _dl_find_object, as where libc lacks it.
void prepare_modules(bool by_mappings = false);

}  // namespace heapledger::runtime
