/* Holds blocks and has freed others, in every way that glibc's malloc knows, and then waits: a dump
 * of it can be compared with its own account. That account goes to stdout, which has no buffer from
 * malloc: "H ADDRESS ROOM" for each block that is held, "F ADDRESS" for each that was freed, what
 * malloc_info and mallinfo2 say, "T n" for the threads besides the first, and "READY".
 *
 * chunks [HOW]: "moved": somebody else moves the break in between; "stopped": something keeps the
 * break from growing; "small": without the many heaps of one thread; "abort": the same, and
 * it ends with a core of its own. */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kThreads = 3, kMost = 20000, kBufferBytes = 1 << 16 };

struct book {
  void* held[kMost];
  void* freed[kMost];
  size_t held_count;
  size_t freed_count;
  uint32_t random;
};

static struct book books[kThreads + 1];
static char buffer[kBufferBytes];
static pthread_barrier_t done;
static int is_small;

static void* hold(struct book* book, void* block) {
  if (block == NULL || book->held_count == kMost) abort();
  memset(block, 0x5a, malloc_usable_size(block) < 4096 ? malloc_usable_size(block) : 4096);
  book->held[book->held_count++] = block;
  return block;
}

static void drop(struct book* book, size_t index) {
  if (book->held[index] == NULL || book->freed_count == kMost) return;
  book->freed[book->freed_count++] = book->held[index];
  free(book->held[index]);
  book->held[index] = NULL;
}

static uint32_t next_random(struct book* book) {
  book->random = book->random * 1664525u + 1013904223u;
  return book->random >> 8;
}

/* Every second one goes: none of them meets another free one. More than a thread's cache takes go
 * to the arena's lists. */
static void drop_half(struct book* book, size_t first, size_t end) {
  for (size_t i = first; i < end; i += 2) drop(book, i);
}

static void comb(struct book* book, size_t size, size_t count) {
  size_t first = book->held_count;
  for (size_t i = 0; i < count; ++i) hold(book, malloc(size));
  drop_half(book, first, book->held_count);
}

static void any_sizes(struct book* book) {
  size_t first = book->held_count;
  for (int i = 0; i < 2000; ++i) hold(book, malloc(next_random(book) % 3000));
  for (size_t i = first; i < book->held_count; ++i) {
    if (next_random(book) % 3 == 0) drop(book, i);
  }
}

static void mapped(struct book* book) {
  hold(book, malloc(300000));
  hold(book, calloc(3, 500000));
  hold(book, realloc(malloc(400000), 900000));
  void* aligned = NULL;
  if (posix_memalign(&aligned, 65536, 700000) != 0) abort();
  hold(book, aligned);
  if (posix_memalign(&aligned, 4096, 300000) != 0) abort();
  hold(book, realloc(aligned, 1200000));
  size_t last = book->held_count;
  hold(book, malloc(5000000));
  drop(book, last);
}

static void work(struct book* book) {
  comb(book, 20, 60); /* cache and fastbins */
  comb(book, 100, 60);
  comb(book, 1500, 60); /* beyond the cache */
  comb(book, 7000, 40);
  any_sizes(book);
  hold(book, malloc(60000)); /* sorts what is free into small and large bins */
  void* aligned = NULL;
  if (posix_memalign(&aligned, 256, 1000) != 0) abort();
  hold(book, aligned);
}

/* Free chunks that nobody asks for any more stay where free() has put them: only when all threads
 * have what they want, they give back. */
static void last_frees(struct book* book) {
  size_t first = book->held_count;
  for (int i = 0; i < 30; ++i) hold(book, malloc(2500));
  size_t second = book->held_count;
  for (int i = 0; i < 40; ++i) hold(book, malloc(48));
  pthread_barrier_wait(&done);
  drop_half(book, first, second);            /* unsorted */
  drop_half(book, second, book->held_count); /* cache and fastbins */
}

/* More than one heap of an arena has room for, each page of it untouched but the first. */
static void many_heaps(struct book* book) {
  size_t whole = sizeof(void*) == 8 ? (size_t)80 << 20 : (size_t)3 << 20;
  for (size_t bytes = 0; bytes < whole; bytes += 100000) hold(book, malloc(100000));
}

static void* thread(void* argument) {
  struct book* book = argument;
  pthread_barrier_wait(&done); /* what libc needs for the threads takes no place of a freed block */
  book->random = (uint32_t)(book - books) * 77u;
  if (book == &books[kThreads]) {
    hold(book, malloc(90000)); /* its cache stays empty */
    pthread_barrier_wait(&done);
  } else {
    work(book);
    if (book == &books[2] && !is_small) many_heaps(book);
    last_frees(book);
  }
  pthread_barrier_wait(&done);
  while (pause() != 0) continue;
  return NULL;
}

/* Much is held at the end of the heap and freed: it shrinks. */
static void trimmed(struct book* book) {
  size_t first = book->held_count;
  for (int i = 0; i < 100; ++i) hold(book, malloc(50000));
  for (size_t i = first; i < book->held_count; ++i) drop(book, i);
  malloc_trim(0);
}

static void tell(void) {
  printf("T %d\n", kThreads);
  for (int i = 0; i <= kThreads; ++i) {
    for (size_t j = 0; j < books[i].held_count; ++j) {
      void* block = books[i].held[j];
      if (block != NULL) printf("H %lu %zu\n", (unsigned long)block, malloc_usable_size(block));
    }
    for (size_t j = 0; j < books[i].freed_count; ++j) {
      printf("F %lu\n", (unsigned long)books[i].freed[j]);
    }
  }
  malloc_info(0, stdout);
  struct mallinfo2 info = mallinfo2();
  printf("I %zu %zu %zu %zu %zu %zu %zu %zu %zu\n", info.arena, info.ordblks, info.smblks,
         info.hblks, info.hblkhd, info.fsmblks, info.uordblks, info.fordblks, info.keepcost);
  printf("READY\n");
  fflush(stdout);
}

int main(int count, char** words) {
  setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
  const char* how = count > 1 ? words[1] : "";
  is_small = strcmp(how, "small") == 0 || strcmp(how, "abort") == 0;
  struct book* book = &books[0];
  hold(book, malloc(1)); /* the main arena is this thread's */
  pthread_barrier_init(&done, NULL, kThreads + 1);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, thread, &books[i + 1]);
  }
  pthread_barrier_wait(&done);
  trimmed(book);
  mapped(book);
  hold(book, malloc(60));
  if (strcmp(how, "moved") == 0) {
    for (int i = 0; i < 3; ++i) {
      memset(sbrk(5008), 0x21, 5008);
      for (int j = 0; j < 30; ++j) hold(book, malloc(20000));
    }
  }
  if (strcmp(how, "stopped") == 0) {
    uintptr_t page = ((uintptr_t)sbrk(0) + 4095) / 4096 * 4096;
    mmap((void*)page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    for (int j = 0; j < 80; ++j) hold(book, malloc(60000));
  }
  work(book);
  last_frees(book);
  pthread_barrier_wait(&done);
  tell();
  if (strcmp(how, "abort") == 0) abort();
  for (;;) pause();
}
