// The form of our hooks in libheapledger.so: they have the names of the functions they stand
// before, and the loader knows the next definition of each. (In static programs:
// ../wrapped/hook_form.h.)
#pragma once

#include <atomic>

#include "runtime/bootstrap/resolve.h"

// The symbol that the hook of `name` is.
#define HEAPLEDGER_HOOK(name) name
// Says that the hook of `name` will ask for what comes after it. Once, at the top of a file.
#define HEAPLEDGER_BEFORE(name)
// What comes after the hook of `name`, as a function pointer; null where libc has none.
#define HEAPLEDGER_NEXT(name, Function)                \
  ([]() -> Function {                                  \
    static std::atomic<Function> known{nullptr};       \
    return heapledger::runtime::next_of(known, #name); \
  }())

namespace heapledger::runtime {

template <typename Function>
Function next_of(std::atomic<Function>& known, const char* name) {
  Function function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<Function>(next_definition(name));
    known.store(function, std::memory_order_relaxed);
  }
  return function;
}

}  // namespace heapledger::runtime
