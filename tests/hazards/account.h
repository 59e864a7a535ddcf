// The account a test program keeps of itself: what it took and gave back, counted by the program
// and printed at the end as one line on stdout, to be compared with the ledger. Nothing here
// allocates, everything may be used from threads and signal handlers.
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long account_calls, account_bytes, account_frees, account_resizes;

static inline void account_add(long* figure, long amount) {
  __atomic_fetch_add(figure, amount, __ATOMIC_RELAXED);
}

static inline void account_took(const void* block, size_t bytes) {
  if (block == NULL) return;
  account_add(&account_calls, 1);
  account_add(&account_bytes, (long)bytes);
}

// malloc, counted. The first byte is used, so that a block that is not really there shows.
__attribute__((noinline, unused)) static void* take(size_t bytes) {
  char* block = (char*)malloc(bytes);
  account_took(block, bytes);
  if (block != NULL && bytes > 0) block[0] = 'x';
  return block;
}

__attribute__((noinline, unused)) static void* take_zeroed(size_t count, size_t size) {
  void* block = calloc(count, size);
  account_took(block, count * size);
  return block;
}

// realloc of an existing block, counted.
__attribute__((noinline, unused)) static void* take_resized(void* block, size_t bytes) {
  void* moved = realloc(block, bytes);
  account_took(moved, bytes);
  if (moved != NULL) account_add(&account_resizes, 1);
  return moved;
}

__attribute__((noinline, unused)) static void give(void* block) {
  if (block != NULL) account_add(&account_frees, 1);
  free(block);
}

// Takes and gives `rounds` blocks, a few of them alive at a time.
__attribute__((unused)) static void churn(long rounds) {
  void* held[16] = {NULL};
  for (long i = 0; i < rounds; ++i) {
    give(held[i % 16]);
    held[i % 16] = take((size_t)(16 + i % 97));
  }
  for (int i = 0; i < 16; ++i) give(held[i]);
}

// printf to a descriptor without stdio's buffer, which would be allocated.
__attribute__((format(printf, 2, 3), unused)) static void say_to(int fd, const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > 0 && write(fd, line, (size_t)length) != length) _exit(99);
}

#define say(...) say_to(1, __VA_ARGS__)

// Ends the program with a message when something natively impossible happens.
__attribute__((unused)) static void require(int condition, const char* what) {
  if (condition) return;
  say_to(2, "required: %s (errno %d)\n", what, errno);
  _exit(98);
}

__attribute__((unused)) static void print_account(void) {
  say("account calls=%ld bytes=%ld frees=%ld resizes=%ld\n", account_calls, account_bytes,
      account_frees, account_resizes);
}
