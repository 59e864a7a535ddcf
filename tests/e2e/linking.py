"""Compiles small programs with the recorder linked in, and the account they keep themselves."""

import os
import shlex
import shutil
import subprocess

import harness

# Each call is counted by the program, at the place where it is made.
C_PROGRAM = r"""
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long calls, frees, resizes, bytes;
__attribute__((noinline)) static void *keep(void *block, size_t size) {
  ++calls;
  bytes += size;
  return block;
}
__attribute__((noinline)) static void drop(void *block) {
  ++frees;
  free(block);
}
__attribute__((noinline)) void *innermost(size_t size) { return keep(malloc(size), size); }
__attribute__((noinline)) void *middle(size_t size) { return keep(calloc(3, size), 3 * size); }
static void *in_thread(void *unused) {
  for (int i = 0; i < 500; ++i) drop(innermost(64));
  return unused;
}
int main(void) {
  pthread_t thread;
  for (int i = 1; i <= 1000; ++i) drop(innermost((size_t)i));
  char *block = middle(100);
  block = keep(realloc(block, 5000), 5000);
  ++resizes;
  drop(block);
  void *aligned = 0;
  if (posix_memalign(&aligned, 256, 300) != 0) return 1;
  keep(aligned, 300);
  drop(aligned);
  drop(keep(aligned_alloc(64, 640), 640));
  drop(keep(memalign(64, 65), 65));
  drop(keep(strdup("four"), 5));
  innermost(7777);
  if (malloc_usable_size(innermost(33)) < 33) return 2;
  pthread_create(&thread, 0, in_thread, 0);
  pthread_join(thread, 0);
  fprintf(stderr, "%lu %lu %lu %lu\n", calls, frees, resizes, bytes);
  return 7;
}
"""

# The counts are taken in operator new's caller, as the language says how much it asks for.
CPP_PROGRAM = r"""
#include <cstdio>
#include <memory>
#include <stdexcept>
struct Wide { alignas(64) char bytes[192]; };
__attribute__((noinline)) int* numbers(int count) { return new int[static_cast<unsigned>(count)]; }
__attribute__((noinline)) Wide* wide() { return new Wide; }
int main() {
  unsigned long bytes = 0;
  for (int i = 1; i <= 800; ++i) {
    int* block = numbers(i);
    block[0] = i;
    asm volatile("" : : "r"(block) : "memory");
    bytes += static_cast<unsigned>(i) * sizeof(int);
    delete[] block;
  }
  Wide* aligned = wide();
  asm volatile("" : : "r"(aligned) : "memory");
  bytes += sizeof(Wide);
  delete aligned;
  int* left = numbers(1000);
  asm volatile("" : : "r"(left) : "memory");
  bytes += 4000;
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception&) {
  }
  std::fprintf(stderr, "%d %d %d %lu\n", 802, 801, 0, bytes);
  return 7;
}
"""

# More than there is, in three forms; the third through a handler that gives up when asked again.
EXHAUSTED_PROGRAM = r"""
#include <cstdio>
#include <new>
static int asked = 0;
int main() {
  volatile size_t much = size_t{1} << 62;
  int seen = 0;
  try {
    ::operator new(much);
  } catch (const std::bad_alloc&) {
    seen += 1;
  }
  if (::operator new(much, std::nothrow) == nullptr) seen += 2;
  std::set_new_handler([] {
    if (++asked == 3) std::set_new_handler(nullptr);
  });
  try {
    ::operator new(much, std::align_val_t(64));
  } catch (const std::bad_alloc&) {
    seen += 4;
  }
  std::printf("%d %d\n", seen, asked);
}
"""

COMPILERS = {"c": ("gcc", "clang"), "cpp": ("g++", "clang++")}


def flags(*options):
    done = subprocess.run([harness.TOOL, "link-flags", *options], capture_output=True, text=True,
                          env=harness.plain_environment(), timeout=300, check=False)
    harness.expect_equal((done.returncode, done.stderr), (0, ""), "link-flags")
    return shlex.split(done.stdout)


def build(compiler, language, *options, text=None):
    """The path of the program, built with `options` behind it."""
    if shutil.which(compiler) is None:
        raise harness.Skip(f"{compiler} is not installed (Debian: {compiler})")
    folder = harness.fresh_folder()
    source = os.path.join(folder, "program." + language)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text or (C_PROGRAM if language == "c" else CPP_PROGRAM))
    program = os.path.join(folder, "program")
    done = subprocess.run([compiler, "-O1", "-g", "-fno-builtin", "-fno-optimize-sibling-calls",
                           "-pthread", "-o", program, source, *options],
                          capture_output=True, text=True, timeout=300, check=False)
    harness.expect_equal((done.returncode, done.stderr), (0, ""), f"{compiler} {options}")
    return program


def named(group):
    """Names of the functions on a stack, the innermost first."""
    return [(frame.get("function") or "").split("(")[0] for frame in group["frames"]]


def account_of(answer, language):
    """What the program's own calls add up to; libc and libstdc++ also allocate for themselves."""
    if language == "c":
        own = {"innermost", "middle", "main"}
        groups = [group for group in answer["groups"]
                  if set(named(group)[:1]) & own or "strdup" in named(group)[0]]
    else:
        own = {"numbers", "wide"}
        groups = [group for group in answer["groups"] if set(named(group)[:4]) & own]
    return harness.sums(groups)


def expect_account(run, answer, language):
    """Demands that the ledger of `run` holds what the program says it has done."""
    calls, frees, resizes, size = map(int, run.stderr.split())
    harness.expect_figures(account_of(answer, language),
                           {"calls": calls, "frees": frees, "resizes": resizes, "bytes": size,
                            "end_blocks": calls - frees - resizes}, "the program's own calls")
