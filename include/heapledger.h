/* Heapledger for programs that want to talk to the recorder they may be running under.
 *
 * Including this header adds no library and no cost: the functions below are weak references,
 * which the loader binds to libheapledger.so when the program is recorded and leaves empty when it
 * is not. A program that includes it runs unchanged without us. C99 and C++, GCC and Clang.
 *
 *     #include <heapledger.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       if (heapledger_loaded()) fprintf(stderr, "recorded by %s\n", heapledger_version());
 *     }
 */
#pragma once

/* The version this header belongs to: "MAJOR.MINOR.PATCH". */
#define HEAPLEDGER_VERSION "0.1.0"

/* A reference that stays open until the program is loaded. Without noplt, GCC would let the linker
 * settle it as "not there" in an executable that is not position independent (-no-pie). Clang
 * does not know the attribute: compile such a file with -fno-plt. */
#if defined(__clang__)
#define HEAPLEDGER_OPTIONAL __attribute__((weak))
#else
#define HEAPLEDGER_OPTIONAL __attribute__((weak, noplt))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the runtime in this process, in the form of HEAPLEDGER_VERSION: text that lives as
 * long as the process and must not be freed. Thread-safe and async-signal-safe.
 * Precondition: heapledger_loaded() is true; otherwise there is nothing to call. */
const char* heapledger_version(void) HEAPLEDGER_OPTIONAL;

/* 1 when the runtime is in this process, else 0. The answer never changes while the process lives.
 * Thread-safe and async-signal-safe. The runtime may be loaded and yet not recording (no
 * permission to write its file, for one): this tells only that it is there. */
static inline int heapledger_loaded(void) {
  return heapledger_version != 0;
}

#ifdef __cplusplus
}
#endif
