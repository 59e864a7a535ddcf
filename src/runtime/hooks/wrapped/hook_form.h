// The form of our hooks in libheapledger_static.a: the linker's --wrap=NAME sends every call of
// NAME to __wrap_NAME, and __real_NAME is what it would have been. `heapledger link-flags --static`
// names each of them. (In libheapledger.so: ../preloaded/hook_form.h.)
#pragma once

// The symbol that the hook of `name` is.
#define HEAPLEDGER_HOOK(name) __wrap_##name
// Says that the hook of `name` will ask for what comes after it. Once, at the top of a file. The
// type is of no matter: only the address is taken.
#define HEAPLEDGER_BEFORE(name) extern "C" void __real_##name();
// What comes after the hook of `name`, as a function pointer.
#define HEAPLEDGER_NEXT(name, Function) reinterpret_cast<Function>(&__real_##name)
