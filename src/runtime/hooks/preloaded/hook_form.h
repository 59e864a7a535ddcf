// The form of our hooks in libheapledger.so: they have the names of the functions they stand
// before, and the loader knows the next definition of each. (In static programs:
// ../wrapped/hook_form.h.)
#pragma once

#include "runtime/bootstrap/next.h"

// The symbol that the hook of `name` is.
#define HEAPLEDGER_HOOK(name) name
// Says that the hook of `name` will ask for what comes after it. Once, at the top of a file.
#define HEAPLEDGER_BEFORE(name)                                                            \
  namespace {                                                                              \
  [[gnu::section("heapledger_next")]] constinit heapledger::runtime::Next after_##name = { \
      #name, {nullptr}};                                                                   \
  }
// What comes after the hook of `name`, as a function pointer; null where libc has none.
#define HEAPLEDGER_NEXT(name, Function) \
  reinterpret_cast<Function>(heapledger::runtime::next_definition(after_##name))
