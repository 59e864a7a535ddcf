// Not every allocator has every function: mimalloc before 2.1 has no pvalloc, say. The next one in
// the chain would be libc's, whose blocks the allocator cannot free.
#include <cerrno>

#include "runtime/bootstrap/resolve.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

// real_heap is the only one there is, and has these when they are called.
void* aligned_by_posix(size_t alignment, size_t size) {
  void* block = nullptr;
  int error = real_heap.posix_memalign(&block, alignment < 8 ? 8 : alignment, size);
  if (error == 0) return block;
  errno = error;
  return nullptr;
}

int posix_by_memalign(void** result, size_t alignment, size_t size) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  int before = errno;
  void* block = real_heap.memalign(alignment, size);
  errno = before;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

void* page_aligned(size_t size) {
  return real_heap.memalign(os::page_bytes(), size);
}

void* whole_pages(size_t size) {
  size_t page = os::page_bytes();
  size_t bytes;
  if (__builtin_add_overflow(size, page - 1, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return real_heap.memalign(page, bytes & ~(page - 1));
}

size_t size_unknown(void*) {
  return 0;
}

}  // namespace

bool fill_gaps(RealHeap& heap) {
  if (heap.memalign == nullptr) heap.memalign = heap.aligned_alloc;
  if (heap.memalign == nullptr && heap.posix_memalign != nullptr) heap.memalign = aligned_by_posix;
  if (heap.memalign == nullptr) return false;
  if (heap.posix_memalign == nullptr) heap.posix_memalign = posix_by_memalign;
  if (heap.aligned_alloc == nullptr) heap.aligned_alloc = heap.memalign;
  if (heap.valloc == nullptr) heap.valloc = page_aligned;
  if (heap.pvalloc == nullptr) heap.pvalloc = whole_pages;
  if (heap.malloc_usable_size == nullptr) heap.malloc_usable_size = size_unknown;
#define X(id, result, name, parameters, arguments) \
  if (heap.name == nullptr) return false;
  HEAPLEDGER_REAL_FUNCTIONS(X)
#undef X
  return true;
}

}  // namespace heapledger::runtime
