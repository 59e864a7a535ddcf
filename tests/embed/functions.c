/* The functions of header mode one by one: each check is a line that says what must be true. Ends
 * with the number of checks, or with 1 at the first that fails. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_heap.h"
#include "heapledger_embed.h"

static int checks;
#define CHECK(condition)                                             \
  do {                                                               \
    ++checks;                                                        \
    if (!(condition)) {                                              \
      fprintf(stderr, "functions.c:%d: %s\n", __LINE__, #condition); \
      exit(1);                                                       \
    }                                                                \
  } while (0)

static size_t locks;
static size_t unlocks;
static size_t allocations;
static size_t aligned_allocations;
static size_t releases;
static size_t resizes;
static size_t fail_after;
static enum hl_fault last_fault;
static const void* last_pointer;

static void count_lock(void* context) {
  CHECK(context == &locks && locks == unlocks);
  ++locks;
}

static void count_unlock(void* context) {
  CHECK(context == &locks);
  ++unlocks;
}

static void* counting_allocate(void* context, size_t bytes) {
  CHECK(locks == unlocks); /* the allocator is called without the lock */
  if (allocations == fail_after) return NULL;
  ++allocations;
  return array_allocate(context, bytes);
}

static void* counting_aligned(void* context, size_t alignment, size_t bytes) {
  uintptr_t start = (uintptr_t)array_allocate(context, bytes + alignment);
  ++aligned_allocations;
  if (start == 0) return NULL;
  /* Only right because nothing of this kind is released in these tests. */
  return (void*)((start + alignment - 1) & ~(uintptr_t)(alignment - 1));
}

static void counting_release(void* context, void* start) {
  ++releases;
  array_release(context, start);
}

static void* counting_resize(void* context, void* start, size_t bytes) {
  ++resizes;
  return array_resize(context, start, bytes);
}

static void* refusing_resize(void* context, void* start, size_t bytes) {
  (void)context;
  (void)start;
  (void)bytes;
  ++resizes;
  return NULL;
}

static void on_fault(void* context, enum hl_fault what, const void* pointer) {
  CHECK(context == &locks);
  CHECK(locks == unlocks);
  last_fault = what;
  last_pointer = pointer;
}

static struct hl_config plain(void) {
  struct hl_config config;
  memset(&config, 0, sizeof config);
  config.context = &locks;
  config.allocate = counting_allocate;
  config.release = counting_release;
  config.alignment = 16;
  config.lock = count_lock;
  config.unlock = count_unlock;
  config.fault = on_fault;
  fail_after = SIZE_MAX;
  memset(array_heap, 0, sizeof array_heap);
  array_heap_shift = 0;
  return config;
}

static struct hl_counters counters(void) {
  struct hl_counters now;
  hl_get_counters(&now);
  return now;
}

static uint32_t magic_of(const void* block) {
  struct hl_header header;
  memcpy(&header, (const char*)block - sizeof header, sizeof header);
  return header.magic;
}

static void test_before_init(void) {
  CHECK(hl_malloc(1) == NULL);
  CHECK(hl_calloc(1, 1) == NULL);
  hl_free(NULL);
}

static void test_senseless_configurations(void) {
  struct hl_config config = plain();
  CHECK(hl_init(NULL) == -1);
  config.allocate = NULL;
  CHECK(hl_init(&config) == -1);
  config = plain();
  config.release = NULL;
  CHECK(hl_init(&config) == -1);
  config = plain();
  config.unlock = NULL;
  CHECK(hl_init(&config) == -1);
  config = plain();
  config.alignment = 12;
  CHECK(hl_init(&config) == -1);
}

static void test_life_of_a_block(void) {
  struct hl_config config = plain();
  char* block;
  size_t released = releases;
  CHECK(hl_init(&config) == 0);
  block = (char*)hl_malloc(100);
  CHECK(block != NULL && (uintptr_t)block % (2 * sizeof(void*)) == 0);
  CHECK(hl_usable_size(block) == 100);
  CHECK(magic_of(block) == HL_BLOCK_MAGIC);
  CHECK(counters().live_blocks == 1 && counters().live_bytes == 100);
  memset(block, 0xAA, 100);
  hl_free(block);
  CHECK(magic_of(block) == HL_FREED_MAGIC); /* still there: the array is ours */
  CHECK(releases == released + 1);
  CHECK(counters().live_blocks == 0 && counters().live_bytes == 0);
  CHECK(counters().peak_bytes == 100 && counters().calls == 1 && counters().frees == 1);
  CHECK(hl_usable_size(block) == 0 && hl_usable_size(NULL) == 0);
  hl_free(NULL);
  CHECK(counters().frees == 1 && counters().faults == 0);
  CHECK(locks == unlocks && locks > 0);
}

static void test_zero_sizes(void) {
  struct hl_config config = plain();
  void* a;
  void* b;
  CHECK(hl_init(&config) == 0);
  a = hl_malloc(0);
  b = hl_calloc(0, 8);
  CHECK(a != NULL && b != NULL && a != b);
  CHECK(hl_usable_size(a) == 0);
  CHECK(counters().live_blocks == 2 && counters().live_bytes == 0);
  a = hl_realloc(a, 0);
  CHECK(a != NULL && a != b);
  CHECK(counters().live_blocks == 2 && counters().calls == 3 && counters().frees == 1);
  hl_free(a);
  hl_free(b);
  CHECK(counters().live_blocks == 0);
}

static void test_sizes_near_the_limit(void) {
  struct hl_config config = plain();
  size_t i;
  CHECK(hl_init(&config) == 0);
  for (i = 0; i < 400; ++i) CHECK(hl_malloc(SIZE_MAX - i) == NULL);
  CHECK(hl_calloc(SIZE_MAX / 2, 3) == NULL);
  CHECK(hl_calloc(3, SIZE_MAX / 2) == NULL);
  CHECK(hl_calloc(SIZE_MAX, SIZE_MAX) == NULL);
  CHECK(hl_aligned_alloc(4096, SIZE_MAX - 4096) == NULL);
  CHECK(counters().failures == 404 && counters().live_blocks == 0);
}

static void test_calloc_clears(void) {
  struct hl_config config = plain();
  unsigned char* block;
  size_t i;
  CHECK(hl_init(&config) == 0);
  memset(array_heap + 4096, 0x55, sizeof array_heap - 4096);
  hl_free(hl_malloc(8000));
  block = (unsigned char*)hl_calloc(30, 100);
  CHECK(hl_usable_size(block) == 3000);
  for (i = 0; i < 3000; ++i) CHECK(block[i] == 0);
  hl_free(block);
}

static void test_alignments(size_t shift, size_t known) {
  struct hl_config config = plain();
  size_t alignment;
  CHECK(hl_init(&config) == 0);
  array_heap_shift = shift;
  config.alignment = known;
  CHECK(hl_init(&config) == 0);
  for (alignment = 1; alignment <= 65536; alignment *= 2) {
    void* block = hl_aligned_alloc(alignment, 77);
    CHECK(block != NULL && (uintptr_t)block % alignment == 0);
    CHECK((uintptr_t)block % sizeof(void*) == 0);
    CHECK(hl_usable_size(block) == 77);
    memset(block, 0x77, 77);
    hl_free(block);
    CHECK(counters().live_blocks == 0 && counters().faults == 0);
  }
  CHECK(hl_aligned_alloc(0, 1) == NULL);
  CHECK(hl_aligned_alloc(24, 1) == NULL);
  CHECK(hl_aligned_alloc(SIZE_MAX, 1) == NULL);
  CHECK(hl_aligned_alloc(SIZE_MAX / 2 + 1, 1) == NULL);
  CHECK(counters().failures == 4);
}

static void test_aligned_hook(void) {
  struct hl_config config = plain();
  size_t before = aligned_allocations;
  size_t resized = resizes;
  void* block;
  config.allocate_aligned = counting_aligned;
  config.resize = counting_resize;
  CHECK(hl_init(&config) == 0);
  CHECK(hl_malloc(10) != NULL);
  CHECK(aligned_allocations == before);
  block = hl_aligned_alloc(256, 10);
  CHECK((uintptr_t)block % 256 == 0 && aligned_allocations == before + 1);
  CHECK(((struct hl_header*)block)[-1].lead == 256);
  CHECK(resizes == resized);
}

static void test_realloc(void* (*resize)(void*, void*, size_t)) {
  struct hl_config config = plain();
  unsigned char* block;
  size_t size;
  size_t i;
  config.resize = resize;
  CHECK(hl_init(&config) == 0);
  block = (unsigned char*)hl_realloc(NULL, 10);
  CHECK(block != NULL && hl_usable_size(block) == 10);
  memset(block, 1, 10);
  for (size = 11; size < 600; ++size) {
    void* in_the_way = hl_malloc(size % 40);
    block = (unsigned char*)hl_realloc(block, size);
    CHECK(block != NULL && hl_usable_size(block) == size);
    for (i = 0; i + 1 < size; ++i) CHECK(block[i] == 1);
    block[size - 1] = 1;
    CHECK(counters().live_blocks == 2);
    hl_free(in_the_way);
  }
  block = (unsigned char*)hl_realloc(block, 5);
  for (i = 0; i < 5; ++i) CHECK(block[i] == 1);
  CHECK(counters().live_blocks == 1 && counters().live_bytes == 5);
  hl_free(block);
  CHECK(counters().live_blocks == 0 && counters().live_bytes == 0);
  CHECK(counters().calls == counters().frees && counters().faults == 0);
}

static void test_allocation_failure(void) {
  struct hl_config config = plain();
  char* block;
  CHECK(hl_init(&config) == 0);
  block = (char*)hl_malloc(20);
  memcpy(block, "still here", 11);
  fail_after = allocations;
  CHECK(hl_malloc(1) == NULL && hl_calloc(1, 1) == NULL && hl_aligned_alloc(64, 1) == NULL);
  CHECK(hl_realloc(block, 40) == NULL);
  CHECK(strcmp(block, "still here") == 0 && hl_usable_size(block) == 20);
  CHECK(counters().failures == 4 && counters().live_blocks == 1 && counters().live_bytes == 20);
  fail_after = SIZE_MAX;
  block = (char*)hl_realloc(block, 40);
  CHECK(strcmp(block, "still here") == 0);
  hl_free(block);
}

static void test_faults(void) {
  struct hl_config config = plain();
  char* block;
  char* copy;
  size_t released;
  CHECK(hl_init(&config) == 0);
  block = (char*)hl_malloc(64);
  hl_free(block);
  released = releases;
  hl_free(block);
  CHECK(last_fault == HL_FAULT_DOUBLE_FREE && last_pointer == block);
  CHECK(hl_realloc(block, 3) == NULL);
  CHECK(last_fault == HL_FAULT_DOUBLE_FREE);
  memset(array_heap + 500000, 0, 200);
  hl_free(array_heap + 500096);
  CHECK(last_fault == HL_FAULT_FOREIGN && last_pointer == array_heap + 500096);
  last_pointer = NULL;
  block = (char*)hl_malloc(64);
  hl_free(block + 1); /* not even aligned */
  CHECK(last_fault == HL_FAULT_FOREIGN && last_pointer == block + 1);
  hl_free(block + 16);
  CHECK(last_fault == HL_FAULT_FOREIGN && last_pointer == block + 16);
  hl_free((void*)sizeof(void*)); /* nothing can be before it */
  CHECK(last_fault == HL_FAULT_FOREIGN);
  /* A header that was copied elsewhere is not one there. */
  copy = (char*)array_heap + 600000;
  memcpy(copy, block - 56, 56);
  hl_free(copy + 56);
  CHECK(last_fault == HL_FAULT_DAMAGED);
  block[-1] = (char)(block[-1] ^ 0x40); /* a write just before the block */
  hl_free(block);
  CHECK(last_fault == HL_FAULT_DAMAGED && last_pointer == block);
  CHECK(hl_usable_size(block) == 0);
  CHECK(counters().faults == 8 && releases == released);
  block[-1] = (char)(block[-1] ^ 0x40);
  hl_free(block);
  CHECK(counters().live_blocks == 0 && counters().faults == 8);
}

static unsigned three_frames(void* context, uintptr_t* frames, unsigned most, uintptr_t caller,
                             const void* frame) {
  CHECK(context == &locks && most >= 1 && caller != 0);
  (void)frame;
  frames[0] = 0x1111;
  if (most > 1) frames[1] = 0x2222;
  return (most > 1 ? 2u : 1u) | HL_STACK_MORE;
}

static uint64_t fixed_clock(void* context) {
  (void)context;
  return ((uint64_t)7 << 32) + 9;
}

static uint32_t fixed_thread(void* context) {
  (void)context;
  return 0xABCD;
}

static void test_what_the_header_says(void) {
  struct hl_config config = plain();
  const struct hl_header* header;
  const uintptr_t* frames;
  void* block;
  config.stack = three_frames;
  config.clock = fixed_clock;
  config.clock_hz = 1000;
  config.thread = fixed_thread;
  config.tag = "0123456789012345678901234567890123456789";
  CHECK(hl_init(&config) == 0);
  block = hl_malloc(33);
  header = (const struct hl_header*)block - 1;
  frames = (const uintptr_t*)(const void*)header - 2;
  CHECK(header->frame_count == 2 && frames[0] == 0x1111 && frames[1] == 0x2222);
  CHECK(header->flags == (HL_FLAG_MORE | HL_FLAG_CLOCK | HL_FLAG_THREAD));
  CHECK(header->time[0] == 9 && header->time[1] == 7 && header->thread == 0xABCD);
  CHECK(header->self == (uintptr_t)block && header->bytes == 33);
  CHECK(header->version == HL_LAYOUT_VERSION && header->word_bytes == sizeof(void*));
  CHECK(hl_image.magic == HL_IMAGE_MAGIC && hl_image.self == (uintptr_t)&hl_image);
  CHECK(hl_image.hz[0] == 1000 && hl_image.now[1] == 7 && hl_image.counters.live_blocks == 1);
  CHECK(strcmp(hl_image.tag, "0123456789012345678901234567890") == 0);
  hl_free(block);
}

static size_t seen_bytes;
static void visit(void* context, const void* block, size_t bytes, const uintptr_t* frames,
                  unsigned frame_count) {
  CHECK(context == &seen_bytes && block != NULL && frames != NULL && frame_count >= 1);
  seen_bytes += bytes;
}

static void test_walk(void) {
  struct hl_config config = plain();
  void* blocks[50];
  size_t i;
  CHECK(hl_init(&config) == 0);
  for (i = 0; i < 50; ++i) blocks[i] = hl_malloc(i);
  for (i = 0; i < 50; i += 2) hl_free(blocks[i]);
  CHECK(hl_walk(array_heap, array_heap + sizeof array_heap, visit, &seen_bytes) == 25);
  CHECK(seen_bytes == 25 * 25); /* the odd numbers below 50 */
  CHECK(hl_walk(array_heap, array_heap, visit, &seen_bytes) == 0);
  CHECK(hl_walk(array_heap, array_heap + 7, visit, &seen_bytes) == 0);
}

int main(void) {
  size_t shift;
  test_before_init();
  test_senseless_configurations();
  test_life_of_a_block();
  test_zero_sizes();
  test_sizes_near_the_limit();
  test_calloc_clears();
  test_alignments(0, 16);
  for (shift = 0; shift < 16; ++shift) test_alignments(shift, 0);
  test_alignments(8, 8);
  test_alignments(4, 4);
  test_aligned_hook();
  test_realloc(NULL);
  test_realloc(counting_resize);
  test_realloc(refusing_resize);
  test_allocation_failure();
  test_faults();
  test_what_the_header_says();
  test_walk();
  CHECK(resizes > 0);
  printf("%d checks\n", checks);
  return 0;
}
