/* Heapledger's header mode: see heapledger_embed.h for its use and docs/format.md, "Blocks with
 * headers", for the layout. A block in memory:
 *
 *   start of what the allocator gave   padding   frames   struct hl_header   the block itself
 *
 * The frames stand before the header so that the header is always right before the block, however
 * many there are. All numbers are in the machine's own byte order; 64-bit ones that are no
 * addresses are two halves, low first, so that nothing needs more alignment than a pointer. */
#include "heapledger_embed.h"

#include <string.h>

#ifndef HL_MOST_FRAMES
#define HL_MOST_FRAMES 16
#endif
#ifndef HL_ALIGNMENT
#define HL_ALIGNMENT (2 * sizeof(void*))
#endif
#ifndef HL_FRAME_POINTERS
#define HL_FRAME_POINTERS 0
#endif

#if defined(__GNUC__)
#define HL_NOINLINE __attribute__((noinline))
#define HL_BARRIER() __asm__ volatile("" ::: "memory")
#define HL_FRAME() __builtin_frame_address(0)
#ifndef HL_CALLER
#define HL_CALLER() ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))
#endif
#else
#define HL_NOINLINE
#define HL_BARRIER() ((void)0)
#define HL_FRAME() NULL
#ifndef HL_CALLER
#define HL_CALLER() ((uintptr_t)0)
#endif
#endif

#define ALIGNMENT ((size_t)(HL_ALIGNMENT))

/* Sizes that a reader relies on: the array has a negative size where they are others. */
typedef char header_has_no_gaps[sizeof(struct hl_header) == 32 + 2 * sizeof(void*) ? 1 : -1];
typedef char image_has_no_gaps[sizeof(struct hl_image_data) == 80 + 9 * sizeof(void*) ? 1 : -1];
typedef char sizes_are_words[sizeof(size_t) == sizeof(uintptr_t) ? 1 : -1];
typedef char frames_fit[HL_MOST_FRAMES >= 1 && HL_MOST_FRAMES <= 255 ? 1 : -1];
typedef char
    alignment_fits[ALIGNMENT >= sizeof(void*) && (ALIGNMENT & (ALIGNMENT - 1)) == 0 ? 1 : -1];

struct hl_image_data hl_image;

static struct hl_config hooks;
static uint64_t births;

/* --- Check values --- */

static uint32_t mix(uint32_t sum, const void* from, size_t bytes) {
  const unsigned char* at = (const unsigned char*)from;
  for (; bytes >= sizeof(uint32_t); bytes -= sizeof(uint32_t), at += sizeof(uint32_t)) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    sum = (sum ^ value) * 0x9E3779B1u;
    sum ^= sum >> 15;
  }
  return sum;
}

static const uintptr_t* frames_of(const struct hl_header* header) {
  return (const uintptr_t*)(const void*)header - header->frame_count;
}

static uint32_t check_of_header(const struct hl_header* header) {
  uint32_t sum = mix(HL_BLOCK_MAGIC, frames_of(header), header->frame_count * sizeof(uintptr_t));
  size_t from = offsetof(struct hl_header, lead);
  sum = mix(sum, (const char*)header + offsetof(struct hl_header, version), 4);
  return mix(sum, (const char*)header + from, sizeof *header - from);
}

static uint32_t check_of_image(const struct hl_image_data* image) {
  size_t from = offsetof(struct hl_image_data, image_bytes);
  const char* version = (const char*)image + offsetof(struct hl_image_data, version);
  uint32_t sum = mix(HL_IMAGE_MAGIC, version, 4);
  return mix(sum, (const char*)image + from, offsetof(struct hl_image_data, now) - from);
}

/* --- Stacks --- */

/* The machine as ELF numbers it, how to go from a frame to the one of its caller (FRAME_NEXT words
 * from where the frame pointer points) and where a frame has the address that it returns to
 * (FRAME_RETURN). FRAME_IS_INNER: what HL_FRAME() gives is one frame further in. */
#if defined(__x86_64__) || defined(__i386__)
#define MACHINE (sizeof(void*) == 4 ? 3u : 62u)
#define FRAME_NEXT 0
#define FRAME_RETURN 1
#elif defined(__aarch64__)
#define MACHINE 183u
#define FRAME_NEXT 0
#define FRAME_RETURN 1
#elif defined(__arm__)
#define MACHINE 40u
#if defined(__clang__)
#define FRAME_NEXT 0
#define FRAME_RETURN 1
#elif !defined(__thumb__)
#define FRAME_NEXT (-1)
#define FRAME_RETURN 0
#endif
#elif defined(__riscv)
#define MACHINE 243u
#define FRAME_NEXT (-2)
#define FRAME_RETURN (-1)
#elif defined(__powerpc__)
#define MACHINE (sizeof(void*) == 4 ? 20u : 21u)
#define FRAME_NEXT 0
#define FRAME_RETURN (sizeof(void*) == 4 ? 1 : 2)
#define FRAME_IS_INNER 1
#elif defined(__s390__)
#define MACHINE 22u
#else
#define MACHINE 0u
#endif

#if HL_FRAME_POINTERS && defined(FRAME_NEXT)
/* No frame is larger than this: a frame pointer that leads further is none. */
#define FRAME_MOST_BYTES ((uintptr_t)1 << 16)

/* The frame of the caller, or 0 when what is there cannot be one. */
static uintptr_t next_frame(uintptr_t frame, uintptr_t end) {
  const uintptr_t* words = (const uintptr_t*)frame;
  uintptr_t next = words[FRAME_NEXT];
  if (next <= frame || next - frame > FRAME_MOST_BYTES || next % sizeof(uintptr_t) != 0) return 0;
  if (end != 0 && (next >= end || end - next < 3 * sizeof(uintptr_t))) return 0;
  return next;
}

static unsigned walk_frames(uintptr_t* frames, unsigned most, const void* own_frame) {
  uintptr_t end = hooks.stack_end ? hooks.stack_end(hooks.context) : 0;
  uintptr_t frame = (uintptr_t)own_frame;
  unsigned count = 1;
#ifdef FRAME_IS_INNER
  frame = next_frame(frame, end);
#endif
  while (frame != 0) {
    uintptr_t next = next_frame(frame, end);
    uintptr_t back;
    /* A frame pointer of 0 is how a start routine says that it is the outermost. */
    if (next == 0) return ((const uintptr_t*)frame)[FRAME_NEXT] == 0 ? count : count | HL_STACK_CUT;
    back = ((const uintptr_t*)next)[FRAME_RETURN];
    if (back == 0) return count;
    if (count == most) return count | HL_STACK_MORE;
    frames[count++] = back;
    frame = next;
  }
  return count | HL_STACK_CUT;
}
#endif

/* --- Headers --- */

/* A call that wants a block: found out before anything is allocated. */
struct birth {
  uintptr_t frames[HL_MOST_FRAMES];
  unsigned frame_count;
  unsigned flags;
  uint64_t time;
  uint32_t thread;
};

static void lock(void) {
  if (hooks.lock) hooks.lock(hooks.context);
}

static void unlock(void) {
  if (hooks.unlock) hooks.unlock(hooks.context);
}

static void split(uint32_t halves[2], uint64_t value) {
  halves[0] = (uint32_t)value;
  halves[1] = (uint32_t)(value >> 32);
}

static unsigned stack_of(uintptr_t* frames, uintptr_t caller, const void* frame) {
  if (hooks.stack) return hooks.stack(hooks.context, frames, HL_MOST_FRAMES, caller, frame);
  if (caller == 0) return HL_STACK_CUT;
  frames[0] = caller;
#if HL_FRAME_POINTERS && defined(FRAME_NEXT)
  return walk_frames(frames, HL_MOST_FRAMES, frame);
#else
  return 1 | HL_STACK_CUT;
#endif
}

static void describe(struct birth* birth, uintptr_t caller, const void* frame) {
  unsigned found = stack_of(birth->frames, caller, frame);
  birth->frame_count = found & 0xFFu;
  birth->flags = 0;
  if (found & HL_STACK_CUT) birth->flags |= HL_FLAG_CUT;
  if (found & HL_STACK_MORE) birth->flags |= HL_FLAG_MORE;
  if (birth->frame_count > HL_MOST_FRAMES) birth->frame_count = HL_MOST_FRAMES;
  birth->time = 0;
  birth->thread = 0;
  if (hooks.clock) {
    birth->flags |= HL_FLAG_CLOCK;
    birth->time = hooks.clock(hooks.context);
  }
  if (hooks.thread) {
    birth->flags |= HL_FLAG_THREAD;
    birth->thread = hooks.thread(hooks.context);
  }
}

static size_t header_room(unsigned frame_count) {
  return sizeof(struct hl_header) + frame_count * sizeof(uintptr_t);
}

static struct hl_header* header_of(const void* block) {
  return (struct hl_header*)((uintptr_t)block - sizeof(struct hl_header));
}

/* The magic is written when everything else is, and is taken away before memory goes back: no
 * compiler may leave that out. Where memory is dumped between two writes, the check value tells. */
static void set_magic(struct hl_header* header, uint32_t magic) {
  volatile uint32_t* magic_place = &header->magic;
  HL_BARRIER();
  *magic_place = magic;
  HL_BARRIER();
}

/* With the lock. Makes the header of a block and counts it. */
static void enter(const struct birth* birth, uintptr_t self, size_t bytes, size_t lead) {
  struct hl_header* header = header_of((const void*)self);
  struct hl_counters* counters = &hl_image.counters;
  uint64_t time = hooks.clock ? birth->time : births;
  set_magic(header, 0);
  memcpy((uintptr_t*)(void*)header - birth->frame_count, birth->frames,
         birth->frame_count * sizeof(uintptr_t));
  header->version = HL_LAYOUT_VERSION;
  header->word_bytes = (uint8_t)sizeof(void*);
  header->frame_count = (uint8_t)birth->frame_count;
  header->flags = (uint8_t)birth->flags;
  header->lead = (uint32_t)lead;
  header->self = self;
  header->bytes = bytes;
  split(header->time, time);
  header->thread = birth->thread;
  header->serial = (uint32_t)births++;
  header->check = check_of_header(header);
  set_magic(header, HL_BLOCK_MAGIC);
  split(hl_image.now, time);
  ++counters->calls;
  ++counters->live_blocks;
  counters->live_bytes += bytes;
  if (counters->live_bytes > counters->peak_bytes) counters->peak_bytes = counters->live_bytes;
}

/* With the lock. Takes the block out of the counters and its header out of what can be found. */
static void leave(struct hl_header* header) {
  struct hl_counters* counters = &hl_image.counters;
  set_magic(header, HL_FREED_MAGIC);
  ++counters->frees;
  --counters->live_blocks;
  counters->live_bytes -= header->bytes;
}

/* With the lock. What is wrong with a pointer; 0: it is a live block. */
static unsigned fault_of(const void* block) {
  const struct hl_header* header;
  unsigned frame_count;
  if ((uintptr_t)block % sizeof(uintptr_t) != 0 || (uintptr_t)block < sizeof(struct hl_header)) {
    return HL_FAULT_FOREIGN;
  }
  header = header_of(block);
  if (header->magic == HL_FREED_MAGIC && header->self == (uintptr_t)block) {
    return HL_FAULT_DOUBLE_FREE;
  }
  if (header->magic != HL_BLOCK_MAGIC) return HL_FAULT_FOREIGN;
  frame_count = header->frame_count;
  if (frame_count > HL_MOST_FRAMES || header->self != (uintptr_t)block ||
      header->check != check_of_header(header)) {
    return HL_FAULT_DAMAGED;
  }
  return 0;
}

/* Whether it is a live block; if not, the fault is counted and told. If `taken`, it is taken out of
 * the books at once, so that of two threads that free it one is told. */
static int is_block(const void* block, int taken) {
  unsigned fault;
  lock();
  fault = fault_of(block);
  if (fault != 0) ++hl_image.counters.faults;
  if (fault == 0 && taken) leave(header_of(block));
  unlock();
  if (fault != 0 && hooks.fault) hooks.fault(hooks.context, (enum hl_fault)fault, block);
  return fault == 0;
}

static void count_failure(void) {
  lock();
  ++hl_image.counters.failures;
  unlock();
}

/* --- Blocks --- */

static void* place(struct birth* birth, size_t alignment, size_t bytes) {
  size_t room = header_room(birth->frame_count);
  size_t slack = hooks.alignment < alignment ? alignment - 1 : 0;
  int aligned = slack != 0 && hooks.alignment != 0 && hooks.allocate_aligned;
  uintptr_t start;
  uintptr_t self;
  if (slack == 0 || aligned) room = (room + alignment - 1) & ~(alignment - 1);
  if (aligned) {
    slack = 0;
    birth->flags |= HL_FLAG_ALIGNED;
  }
  if (bytes > SIZE_MAX - room - slack) return NULL;
  start = (uintptr_t)(aligned ? hooks.allocate_aligned(hooks.context, alignment, room + bytes)
                              : hooks.allocate(hooks.context, room + slack + bytes));
  if (start == 0) return NULL;
  self = start + room;
  if (slack != 0) self = (self + slack) & ~(uintptr_t)(alignment - 1);
  lock();
  enter(birth, self, bytes, self - start);
  unlock();
  return (void*)self;
}

static void* new_block(size_t alignment, size_t bytes, uintptr_t caller, const void* frame) {
  struct birth birth;
  void* block = NULL;
  if (hooks.allocate) {
    describe(&birth, caller, frame);
    if (alignment < ALIGNMENT) alignment = ALIGNMENT;
    block = place(&birth, alignment, bytes);
  }
  if (block == NULL) count_failure();
  return block;
}

/* Lets the allocator resize what the block is in. The header is no header meanwhile, for its old
 * place may be anybody's. NULL: not done, and the block is as it was. */
static void* resize(struct hl_header* header, const struct birth* birth, size_t bytes) {
  struct hl_header old = *header;
  void* moved;
  uintptr_t self;
  if (bytes > SIZE_MAX - old.lead || header_room(birth->frame_count) > old.lead) return NULL;
  set_magic(header, HL_FREED_MAGIC);
  moved = hooks.resize(hooks.context, (void*)(old.self - old.lead), old.lead + bytes);
  if (moved == NULL) {
    set_magic(header, HL_BLOCK_MAGIC);
    return NULL;
  }
  self = (uintptr_t)moved + old.lead;
  lock();
  leave(&old);
  enter(birth, self, bytes, old.lead);
  unlock();
  return (void*)self;
}

static void* resized(void* block, size_t bytes, uintptr_t caller, const void* frame) {
  struct birth birth;
  struct hl_header* header = header_of(block);
  void* moved = NULL;
  if (!is_block(block, 0)) return NULL;
  describe(&birth, caller, frame);
  /* What keeps the alignment of the start keeps that of the block, if the block needs no more. */
  if (hooks.resize && hooks.alignment >= ALIGNMENT && header->lead % ALIGNMENT == 0 &&
      !(header->flags & HL_FLAG_ALIGNED)) {
    moved = resize(header, &birth, bytes);
    if (moved) return moved;
  }
  moved = place(&birth, ALIGNMENT, bytes);
  if (moved) {
    memcpy(moved, block, header->bytes < bytes ? header->bytes : bytes);
    hl_free(block);
  } else {
    count_failure();
  }
  return moved;
}

/* --- The functions of the header --- */

int hl_init(const struct hl_config* config) {
  struct hl_image_data* image = &hl_image;
  uint64_t start;
  size_t i;
  if (!config || !config->allocate || !config->release || !config->lock != !config->unlock ||
      (config->alignment & (config->alignment - 1)) != 0) {
    return -1;
  }
  hooks = *config;
  births = 0;
  memset(image, 0, sizeof *image);
  start = hooks.clock ? hooks.clock(hooks.context) : 0;
  image->version = HL_LAYOUT_VERSION;
  image->word_bytes = (uint8_t)sizeof(void*);
  image->most_frames = HL_MOST_FRAMES;
  image->flags = (uint8_t)((hooks.clock ? HL_FLAG_CLOCK : 0) | (hooks.thread ? HL_FLAG_THREAD : 0));
  image->image_bytes = (uint32_t)sizeof *image;
  image->machine = MACHINE;
  image->header_bytes = (uint32_t)sizeof(struct hl_header);
  split(image->hz, hooks.clock ? hooks.clock_hz : 0);
  split(image->start, start);
  split(image->now, start);
  image->self = (uintptr_t)image;
  image->anchor = (uintptr_t)&hl_init;
  for (i = 0; hooks.tag && hooks.tag[i] && i + 1 < sizeof image->tag; ++i) {
    image->tag[i] = hooks.tag[i];
  }
  image->check = check_of_image(image);
  *(volatile uint32_t*)&image->magic = HL_IMAGE_MAGIC;
  return 0;
}

/* The barriers keep calls from being jumps: the frame that is handed on must stay. */
HL_NOINLINE void* hl_malloc(size_t bytes) {
  void* block = new_block(ALIGNMENT, bytes, HL_CALLER(), HL_FRAME());
  HL_BARRIER();
  return block;
}

HL_NOINLINE void* hl_calloc(size_t count, size_t bytes) {
  void* block;
  if (bytes != 0 && count > SIZE_MAX / bytes) {
    count_failure();
    return NULL;
  }
  block = new_block(ALIGNMENT, count * bytes, HL_CALLER(), HL_FRAME());
  if (block) memset(block, 0, count * bytes);
  return block;
}

HL_NOINLINE void* hl_realloc(void* block, size_t bytes) {
  block = block ? resized(block, bytes, HL_CALLER(), HL_FRAME())
                : new_block(ALIGNMENT, bytes, HL_CALLER(), HL_FRAME());
  HL_BARRIER();
  return block;
}

HL_NOINLINE void* hl_aligned_alloc(size_t alignment, size_t bytes) {
  void* block;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > (size_t)1 << 30) {
    count_failure();
    return NULL;
  }
  block = new_block(alignment, bytes, HL_CALLER(), HL_FRAME());
  HL_BARRIER();
  return block;
}

void hl_free(void* block) {
  struct hl_header* header = header_of(block);
  if (!block || !is_block(block, 1)) return;
  hooks.release(hooks.context, (void*)(header->self - header->lead));
}

size_t hl_usable_size(const void* block) {
  size_t bytes = 0;
  if (!block) return 0;
  lock();
  if (fault_of(block) == 0) bytes = header_of(block)->bytes;
  unlock();
  return bytes;
}

void hl_get_counters(struct hl_counters* counters) {
  lock();
  *counters = hl_image.counters;
  unlock();
}

size_t hl_walk(const void* begin, const void* end, hl_visitor visit, void* context) {
  uintptr_t at = ((uintptr_t)begin + sizeof(uintptr_t) - 1) & ~(uintptr_t)(sizeof(uintptr_t) - 1);
  uintptr_t stop = (uintptr_t)end;
  size_t count = 0;
  lock();
  while (at < stop && stop - at >= sizeof(struct hl_header)) {
    const struct hl_header* header = (const struct hl_header*)at;
    uintptr_t self = at + sizeof(struct hl_header);
    at += sizeof(uintptr_t);
    if (header->magic != HL_BLOCK_MAGIC || header->self != self) continue;
    /* Frames that are not all inside cannot be ours: the allocation began before `begin`. */
    if (header_room(header->frame_count) > self - (uintptr_t)begin) continue;
    if (fault_of((const void*)self) != 0) continue;
    visit(context, (const void*)self, header->bytes, frames_of(header), header->frame_count);
    ++count;
    if (header->bytes > stop - self) break;
    at = (self + header->bytes + sizeof(uintptr_t) - 1) & ~(uintptr_t)(sizeof(uintptr_t) - 1);
  }
  unlock();
  return count;
}
