/* Heapledger's header mode, for systems without a loader, threads of POSIX or a file system: every
 * block carries a small header that says how large it is, who asked for it and when, so that the
 * live heap can be read from a plain dump of memory. There is no table, no file and no output.
 *
 * Add this file and heapledger_embed.c to the program; docs/porting.md tells how. Needs C99 (or
 * C++11), memcpy and memset, and nothing else of a C library. Never allocates but through the
 * functions it was given. The layout of what is written is in docs/format.md. */
#pragma once
#ifndef HEAPLEDGER_EMBED_H
#define HEAPLEDGER_EMBED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What can be chosen when heapledger_embed.c is compiled (-DNAME=VALUE):
 *
 *   HL_MOST_FRAMES     how many return addresses a header may hold: 1 to 255
 *   HL_ALIGNMENT       of every block: a power of two, at least sizeof(void*)
 *   HL_FRAME_POINTERS  1: where no stack hook is given, callers are found by frame pointers; for
 *                      programs compiled with -fno-omit-frame-pointer (not on Thumb, not on s390x)
 *                      0: only the direct caller is known
 *   HL_CALLER()        the return address of the function it stands in, for compilers that are not
 *                      like GCC
 */

/* What a stack hook adds to the number of frames that it returns. */
#define HL_STACK_MORE 0x100u /* there were more frames than it had room for */
#define HL_STACK_CUT 0x200u  /* it could not go on to the outermost frame */

enum hl_fault {
  HL_FAULT_DOUBLE_FREE = 1, /* the header says that the block was freed */
  HL_FAULT_FOREIGN = 2,     /* there is no header of ours before this pointer */
  HL_FAULT_DAMAGED = 3      /* there is, but its check value is wrong: something wrote over it */
};

/* What the program provides. Unused members are 0. Every hook is handed `context`. No hook may call
 * a function of this file. */
struct hl_config {
  void* context;

  /* The allocator underneath. It must be as safe for threads as the program needs: it is called
   * without the lock. */
  void* (*allocate)(void* context, size_t bytes);
  void (*release)(void* context, void* start);
  /* Optional: like realloc, NULL when it cannot be done. Without: allocate, copy, release. */
  void* (*resize)(void* context, void* start, size_t bytes);
  /* Optional: for alignments above `alignment`, if that is not 0; what it returns goes to `release`
   * and never to `resize`. Without: allocate, with room to choose a place in. */
  void* (*allocate_aligned)(void* context, size_t alignment, size_t bytes);
  /* The alignment that `allocate` and `resize` keep to. 0: none, at the cost of some room. */
  size_t alignment;

  /* Optional, both or none: guards headers and counters. Nothing else is called in between. */
  void (*lock)(void* context);
  void (*unlock)(void* context);

  /* Optional: a clock that does not go back, and its ticks per second. Without: calls are counted.
   */
  uint64_t (*clock)(void* context);
  uint64_t clock_hz;

  /* Optional: a number for the thread or task that calls. */
  uint32_t (*thread)(void* context);

  /* Optional: puts up to `most` return addresses into `frames`, innermost first, and returns how
   * many, with HL_STACK_MORE or HL_STACK_CUT added. `caller` is the return address of the hl_
   * function, which should be frames[0]; `frame` is that function's own frame, or NULL. */
  unsigned (*stack)(void* context, uintptr_t* frames, unsigned most, uintptr_t caller,
                    const void* frame);
  /* Optional, for frame pointers: the address behind the stack of the thread that calls. */
  uintptr_t (*stack_end)(void* context);

  /* Optional: told of pointers that cannot be freed or resized. Nothing is done to them. */
  void (*fault)(void* context, enum hl_fault what, const void* pointer);

  /* Optional: what this build is called; the first 31 bytes are kept. */
  const char* tag;
};

struct hl_counters {
  size_t live_blocks;
  size_t live_bytes; /* as asked for, headers not included */
  size_t peak_bytes; /* the most that live_bytes ever was */
  size_t calls;      /* that returned a block */
  size_t frees;      /* blocks that were freed, by hl_realloc as well */
  size_t failures;   /* calls that returned no block */
  size_t faults;     /* pointers that could not be freed or resized */
};

/* Once, before any other. Copies `config`. Returns 0, or -1 when it makes no sense. */
int hl_init(const struct hl_config* config);

/* As the functions of C without the prefix. A block of 0 bytes is a block of its own; hl_realloc to
 * 0 bytes makes one. hl_aligned_alloc takes any power of two up to 2^30. Before hl_init: NULL. */
void* hl_malloc(size_t bytes);
void* hl_calloc(size_t count, size_t bytes);
void* hl_realloc(void* block, size_t bytes);
void* hl_aligned_alloc(size_t alignment, size_t bytes);
void hl_free(void* block);

/* What was asked for; 0 for NULL and for what is no live block. */
size_t hl_usable_size(const void* block);

void hl_get_counters(struct hl_counters* counters);

/* Calls `visit` for each live block whose header is between these two addresses, by address: for
 * systems that can print but cannot be dumped. All memory in between must be readable. Holds the
 * lock; `visit` may read the block and must not call back. Returns how many there were. */
typedef void (*hl_visitor)(void* context, const void* block, size_t bytes, const uintptr_t* frames,
                           unsigned frame_count);
size_t hl_walk(const void* begin, const void* end, hl_visitor visit, void* context);

/* --- What is found in a dump (docs/format.md, "Blocks with headers") --- */

#define HL_BLOCK_MAGIC 0x484C4231u /* HLB1 */
#define HL_FREED_MAGIC 0x484C4246u /* HLBF */
#define HL_IMAGE_MAGIC 0x484C4931u /* HLI1 */
#define HL_LAYOUT_VERSION 1

#define HL_FLAG_MORE 1u
#define HL_FLAG_CUT 2u
#define HL_FLAG_CLOCK 4u /* times are ticks of a clock, not numbers of calls */
#define HL_FLAG_THREAD 8u
#define HL_FLAG_ALIGNED 16u /* comes from allocate_aligned */

/* Right before a block; the frames are right before it. */
struct hl_header {
  uint32_t magic;
  uint8_t version;
  uint8_t word_bytes;
  uint8_t frame_count;
  uint8_t flags;
  uint32_t check;
  uint32_t lead; /* bytes from the start of the allocation to the block */
  uintptr_t self;
  uintptr_t bytes;
  uint32_t time[2]; /* of its birth: low half, high half */
  uint32_t thread;
  uint32_t serial; /* of all blocks in the order of birth; wraps */
};

/* One for the program: what holds for all blocks, and the counters. */
struct hl_image_data {
  uint32_t magic;
  uint8_t version;
  uint8_t word_bytes;
  uint8_t most_frames;
  uint8_t flags;
  uint32_t check; /* of everything up to the tag */
  uint32_t image_bytes;
  uint32_t machine; /* ELF e_machine; 0: unknown */
  uint32_t header_bytes;
  uint32_t hz[2];    /* ticks of the clock in a second */
  uint32_t start[2]; /* the clock at hl_init */
  uintptr_t self;
  uintptr_t anchor; /* address of hl_init */
  char tag[32];
  uint32_t now[2]; /* the time of the last birth */
  struct hl_counters counters;
};

extern struct hl_image_data hl_image;

#ifdef __cplusplus
}
#endif

#endif
