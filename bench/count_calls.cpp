// A preload library that counts heap calls and does nothing else: how many entries a recording of
// this program should hold, told by code that shares nothing with the runtime. The file named by
// BENCH_COUNT holds two 64-bit numbers, blocks handed out and blocks given back; it is mapped, so
// that even the last free of the last destructor counts, and shared by all processes of the
// command. Never used in a timed run.

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

// glibc's own names for the real functions: nothing to look up, so nothing to bootstrap.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

struct Counts {
  std::atomic<uint64_t> allocations;
  std::atomic<uint64_t> frees;
};
static_assert(sizeof(Counts) == 16);

Counts before_start;  // what happens before the file is mapped
Counts* counts = &before_start;

// Runs before the program has a second thread.
__attribute__((constructor)) void map_counts() {
  const char* path = getenv("BENCH_COUNT");
  int file = path != nullptr ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
  if (file < 0) return;
  void* mapped = MAP_FAILED;
  if (ftruncate(file, sizeof(Counts)) == 0) {
    mapped = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (mapped == MAP_FAILED) return;
  counts = static_cast<Counts*>(mapped);
  counts->allocations += before_start.allocations;
  counts->frees += before_start.frees;
}

void* counted(void* block) {
  if (block != nullptr) counts->allocations.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void count_free() {
  counts->frees.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

extern "C" {

void* malloc(size_t size) {
  return counted(__libc_malloc(size));
}

void* calloc(size_t count, size_t size) {
  return counted(__libc_calloc(count, size));
}

void* memalign(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

// A resize hands out one block; the old one is not counted as given back.
void* realloc(void* old, size_t size) {
  void* block = __libc_realloc(old, size);
  if (block == nullptr && old != nullptr && size == 0) count_free();
  return counted(block);
}

void free(void* block) {
  if (block != nullptr) count_free();
  __libc_free(block);
}

}  // extern "C"
