// Allocates, resizes and frees at random in several threads, and keeps its own account of what it
// holds in a file that is mapped: whatever happens to the process, the account is there. Before
// each operation it says which slot it is about to change; so whoever reads it at any instant knows
// all slots but one of each thread.
//
//   live_truth FILE THREADS OPERATIONS SEED END     END: exit, _exit, abort, hold, fork
//
// With OPERATIONS 0 it goes on for ever. `hold` stays until it is killed, after it has written
// "ready\n"; `fork` does as many operations again in a child, which then holds.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kSlots = 1000, kMostThreads = 16 };

struct Slot {
  uint64_t address;
  uint64_t size;
};
struct Account {
  volatile uint64_t busy;  // slot number + 1 that is being changed; 0: none
  uint64_t calls;
  uint64_t bytes;
  uint64_t reserved;
  struct Slot slots[kSlots];
};

static struct Account* accounts;
static long operations;
static uint64_t seed;

#define barrier() __asm__ volatile("" ::: "memory")

__attribute__((noinline)) static void* take_small(size_t size) {
  void* block = malloc(size);
  barrier();
  return block;
}
__attribute__((noinline)) static void* take_zeroed(size_t size) {
  void* block = calloc(1, size);
  barrier();
  return block;
}
__attribute__((noinline)) static void* take_aligned(size_t size) {
  void* block = NULL;
  if (posix_memalign(&block, 64, size) != 0) block = NULL;
  barrier();
  return block;
}
__attribute__((noinline)) static void* take_other(void* block, size_t size) {
  block = realloc(block, size);
  barrier();
  return block;
}

static uint64_t next_random(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static void change(struct Account* account, uint64_t* state) {
  uint64_t number = next_random(state) % kSlots;
  struct Slot* slot = &account->slots[number];
  size_t size = 1 + next_random(state) % (next_random(state) % 50 == 0 ? 300000 : 700);
  account->busy = number + 1;
  barrier();
  if (slot->address == 0) {
    uint64_t kind = next_random(state) % 3;
    void* block = kind == 0 ? take_small(size) : kind == 1 ? take_zeroed(size) : take_aligned(size);
    if (block == NULL) abort();
    slot->size = size;
    barrier();
    slot->address = (uint64_t)block;
    account->calls += 1;
    account->bytes += size;
  } else if (next_random(state) % 4 == 0) {
    void* block = take_other((void*)slot->address, size);
    if (block == NULL) abort();
    slot->size = size;
    slot->address = (uint64_t)block;
    account->calls += 1;
    account->bytes += size;
  } else {
    void* block = (void*)slot->address;
    slot->address = 0;
    barrier();
    free(block);
  }
  barrier();
  account->busy = 0;
}

static void* work(void* argument) {
  long number = (long)argument;
  uint64_t state = seed * 1000 + (uint64_t)number + 1;
  for (long i = 0; operations == 0 || i < operations; ++i) change(&accounts[number], &state);
  return NULL;
}

static void hold(void) {
  static const char kReady[] = "ready\n";
  if (write(1, kReady, sizeof kReady - 1) < 0) abort();
  for (;;) pause();
}

int main(int count, char** words) {
  if (count != 6) return 2;
  long threads = atol(words[2]);
  operations = atol(words[3]);
  seed = (uint64_t)atoll(words[4]);
  int fd = open(words[1], O_RDWR | O_CREAT, 0666);
  size_t bytes = sizeof(struct Account) * kMostThreads;
  if (fd < 0 || threads > kMostThreads || ftruncate(fd, (off_t)bytes) != 0) return 3;
  accounts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (accounts == MAP_FAILED) return 3;
  close(fd);
  pthread_t others[kMostThreads];
  for (long i = 1; i < threads; ++i) pthread_create(&others[i], NULL, work, (void*)i);
  work((void*)0);
  for (long i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  const char* end = words[5];
  if (strcmp(end, "abort") == 0) abort();
  if (strcmp(end, "_exit") == 0) _exit(0);
  if (strcmp(end, "hold") == 0) hold();
  if (strcmp(end, "fork") == 0 && fork() == 0) {
    seed += 77;
    work((void*)0);
    hold();
  }
  if (strcmp(end, "fork") == 0) {
    for (;;) pause();
  }
  return 0;
}
