/* A long series of calls whose outcome is known: prints every live block with what is true of it,
 * and writes the memory it is in to a file.
 *
 *     series FILE SEED SHIFT
 *
 * FILE gets all data of the program; FILE.heap the array alone. SHIFT: array_heap_shift. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_heap.h"
#include "heapledger_embed.h"

#define SLOTS 200
#define STEPS 6000
#define NEVER_INLINE __attribute__((noinline))

struct slot {
  unsigned char* block;
  size_t bytes;
  uint64_t time;
  uint32_t thread;
  const char* path; /* the functions that asked for it, innermost first */
  unsigned char mark;
};

static struct slot slots[SLOTS];
static uint32_t state;
static uint64_t now = 5000; /* the clock did not begin with the program */
static int locked;
static size_t faults;

static uint32_t dice(uint32_t sides) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % sides;
}

static void demand(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "series: %s\n", what);
  exit(1);
}

static void take_lock(void* context) {
  (void)context;
  demand(!locked, "locked twice");
  locked = 1;
}

static void give_lock(void* context) {
  (void)context;
  demand(locked, "unlocked without a lock");
  locked = 0;
}

static uint64_t read_clock(void* context) {
  (void)context;
  return now;
}

static uint32_t current_thread(void* context) {
  (void)context;
  return (uint32_t)(now / 7 % 3 + 1);
}

static void on_fault(void* context, enum hl_fault what, const void* pointer) {
  (void)context;
  (void)what;
  (void)pointer;
  ++faults;
}

/* Two levels of callers: `NAME_path` tells what the stack must be. `keep` makes that no call is the
 * last thing that a function does. */
static volatile int keep;

#define LEAF(name, call)                                            \
  static NEVER_INLINE void* name(struct slot* slot, size_t bytes) { \
    void* block = (call);                                           \
    (void)slot;                                                     \
    keep = 1;                                                       \
    return block;                                                   \
  }
LEAF(leaf_malloc, hl_malloc(bytes))
LEAF(leaf_calloc, hl_calloc(1, bytes))
LEAF(leaf_realloc, hl_realloc(slot->block, bytes))
LEAF(leaf_aligned, hl_aligned_alloc((size_t)8 << dice(9), bytes))

#define BRANCH(name, leaf, leaf_name)                              \
  static NEVER_INLINE void name(struct slot* slot, size_t bytes) { \
    slot->block = (unsigned char*)leaf(slot, bytes);               \
    slot->path = leaf_name " " #name;                              \
    keep = 2;                                                      \
  }
BRANCH(branch_plain, leaf_malloc, "leaf_malloc")
BRANCH(branch_other, leaf_malloc, "leaf_malloc")
BRANCH(branch_clear, leaf_calloc, "leaf_calloc")
BRANCH(branch_again, leaf_realloc, "leaf_realloc")
BRANCH(branch_exact, leaf_aligned, "leaf_aligned")

static void check_contents(const struct slot* slot, size_t bytes) {
  size_t i;
  demand(hl_usable_size(slot->block) >= bytes, "size is wrong");
  for (i = 0; i < bytes; ++i) demand(slot->block[i] == slot->mark, "contents are wrong");
}

static void fill(struct slot* slot, size_t bytes) {
  demand(slot->block != NULL, "no memory");
  slot->bytes = bytes;
  slot->time = now;
  slot->thread = current_thread(NULL);
  slot->mark = (unsigned char)dice(256);
  memset(slot->block, slot->mark, bytes);
}

static NEVER_INLINE void step(void) {
  static void (*const branches[])(struct slot*, size_t) = {branch_plain, branch_other, branch_clear,
                                                           branch_exact};
  struct slot* slot = &slots[dice(SLOTS)];
  size_t bytes = dice(10) == 0 ? 0 : dice(4) == 0 ? dice(3000) : dice(200);
  ++now;
  if (!slot->block) {
    branches[dice(4)](slot, bytes);
    fill(slot, bytes);
  } else if (dice(3) == 0) {
    size_t kept = bytes < slot->bytes ? bytes : slot->bytes;
    branch_again(slot, bytes);
    check_contents(slot, kept);
    fill(slot, bytes);
  } else {
    check_contents(slot, slot->bytes);
    hl_free(slot->block);
    slot->block = NULL;
  }
}

/* What a program might do with memory, on the way to fooling a reader: whole headers of other
 * blocks as contents. */
static void put_copies_into_blocks(void) {
  const unsigned char* copied = NULL;
  size_t bytes = 0;
  size_t i;
  for (i = 0; i < SLOTS; ++i) {
    if (!slots[i].block) continue;
    if (copied && slots[i].bytes >= bytes + 8) {
      memcpy(slots[i].block + 8, copied, bytes);
    } else {
      const struct hl_header* header = (const struct hl_header*)(const void*)slots[i].block - 1;
      bytes = sizeof *header + header->frame_count * sizeof(uintptr_t);
      copied = slots[i].block - bytes;
    }
  }
}

static void print_truth(void) {
  struct hl_counters counters;
  size_t blocks = 0;
  size_t bytes = 0;
  size_t i;
  for (i = 0; i < SLOTS; ++i) {
    const struct slot* slot = &slots[i];
    if (!slot->block) continue;
    ++blocks;
    bytes += slot->bytes;
    printf("block %lx %lu %lu %lu %s step main\n", (unsigned long)(uintptr_t)slot->block,
           (unsigned long)slot->bytes, (unsigned long)((slot->time - 5000) * 1000),
           (unsigned long)slot->thread, slot->path);
  }
  hl_get_counters(&counters);
  demand(counters.live_blocks == blocks && counters.live_bytes == bytes, "counters are wrong");
  demand(counters.calls - counters.frees == blocks, "calls are wrong");
  demand(counters.failures == 0 && counters.faults == 0 && faults == 0, "something failed");
}

static void write_file(const char* path, const void* from, const void* end) {
  FILE* file = fopen(path, "wb");
  size_t bytes = (size_t)((const char*)end - (const char*)from);
  demand(file && fwrite(from, 1, bytes, file) == bytes && fclose(file) == 0, "cannot write");
}

static int visited;
static void visit(void* context, const void* block, size_t bytes, const uintptr_t* frames,
                  unsigned frame_count) {
  (void)context;
  (void)block;
  (void)bytes;
  (void)frames;
  demand(frame_count >= 1, "no frames");
  ++visited;
}

/* Of the linker: where the data of the program begins and ends. */
extern char __data_start;
extern char _end;

int main(int count, char** arguments) {
  struct hl_config config;
  char heap_file[4096];
  int i;
  demand(count == 4, "wants FILE SEED SHIFT");
  state = (uint32_t)strtoul(arguments[2], NULL, 10);
  array_heap_shift = strtoul(arguments[3], NULL, 10);
  memset(&config, 0, sizeof config);
  config.allocate = array_allocate;
  config.release = array_release;
  config.resize = array_resize;
  config.alignment = array_heap_shift == 0 ? 16 : 0;
  config.lock = take_lock;
  config.unlock = give_lock;
  config.clock = read_clock;
  config.clock_hz = 1000000;
  config.thread = current_thread;
  config.fault = on_fault;
  config.tag = "series";
  demand(hl_init(&config) == 0, "hl_init");
  for (i = 0; i < STEPS; ++i) {
    step();
    keep = 3;
  }
  put_copies_into_blocks();
  print_truth();
  demand(hl_walk(array_heap, array_heap + sizeof array_heap, visit, NULL) == (size_t)visited,
         "hl_walk");
  printf("walked %d\n", visited);
  printf("data %lx\nheap %lx\n", (unsigned long)(uintptr_t)&__data_start,
         (unsigned long)(uintptr_t)array_heap);
  snprintf(heap_file, sizeof heap_file, "%s.heap", arguments[1]);
  write_file(heap_file, array_heap, array_heap + sizeof array_heap);
  write_file(arguments[1], &__data_start, &_end);
  return 0;
}
