// Finds the allocator's functions as a program would get them: the player's own come first, so the
// next ones in the loader's order are those that are preloaded, or the C library's.
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "player/functions.h"
#include "player/outcome.h"
#include "player/world.h"

namespace heapledger::player {

Functions functions{};
Emulated emulated{};
CodeRange allocator_code{};

namespace {

const char* object_of(const void* function) {
  Dl_info info{};
  if (function == nullptr || dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

bool is_libc(const char* object) {
  const char* name = strrchr(object, '/');
  return strcmp(name == nullptr ? object : name + 1, "libc.so.6") == 0;
}

template <typename Function>
bool same_object(Function* function, const char* object) {
  return strcmp(object_of(reinterpret_cast<const void*>(function)), object) == 0;
}

template <typename Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void* reallocarray_of_realloc(void* block, size_t count, size_t size) {
  return functions.realloc(block, count * size);  // the player asks for one item only
}

// Each of the three aligned functions can be made of each other one.
int posix_memalign_of_memalign(void** into, size_t alignment, size_t bytes) {
  *into = functions.memalign(alignment, bytes);
  return *into == nullptr ? 1 : 0;
}
int posix_memalign_of_aligned_alloc(void** into, size_t alignment, size_t bytes) {
  *into = functions.aligned_alloc(alignment, bytes);
  return *into == nullptr ? 1 : 0;
}
void* aligned_of_posix_memalign(size_t alignment, size_t bytes) {
  void* block = nullptr;
  const size_t at_least = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  return functions.posix_memalign(&block, at_least, bytes) == 0 ? block : nullptr;
}
void* valloc_of_memalign(size_t bytes) {
  return functions.memalign(kPage, bytes);
}
void* pvalloc_of_memalign(size_t bytes) {
  return functions.memalign(kPage, (bytes + kPage - 1) / kPage * kPage);
}
void free_sized_of_free(void* block, size_t) {
  functions.free(block);
}
void free_aligned_sized_of_free(void* block, size_t, size_t) {
  functions.free(block);
}

void find_all() {
  find(functions.malloc, "malloc");
  find(functions.calloc, "calloc");
  find(functions.realloc, "realloc");
  find(functions.reallocarray, "reallocarray");
  find(functions.posix_memalign, "posix_memalign");
  find(functions.aligned_alloc, "aligned_alloc");
  find(functions.memalign, "memalign");
  find(functions.valloc, "valloc");
  find(functions.pvalloc, "pvalloc");
  find(functions.free, "free");
  find(functions.free_sized, "free_sized");
  find(functions.free_aligned_sized, "free_aligned_sized");
  find(functions.usable_size, "malloc_usable_size");
}

// Blocks of another object's function would be freed by an allocator that does not know them.
void emulate_aligned(const char* object) {
  const bool posix = same_object(functions.posix_memalign, object);
  const bool aligned = same_object(functions.aligned_alloc, object);
  const bool memalign = same_object(functions.memalign, object);
  if (!posix && !aligned && !memalign) return;  // it leaves them to the next one on purpose
  emulated.aligned[0] = !posix;
  emulated.aligned[1] = !aligned;
  emulated.aligned[2] = !memalign;
  if (!posix) {
    functions.posix_memalign =
        memalign ? posix_memalign_of_memalign : posix_memalign_of_aligned_alloc;
  }
  if (!aligned) functions.aligned_alloc = memalign ? functions.memalign : aligned_of_posix_memalign;
  if (!memalign) functions.memalign = posix ? aligned_of_posix_memalign : functions.aligned_alloc;
  emulated.valloc = !same_object(functions.valloc, object);
  emulated.pvalloc = !same_object(functions.pvalloc, object);
  if (emulated.valloc) functions.valloc = valloc_of_memalign;
  if (emulated.pvalloc) functions.pvalloc = pvalloc_of_memalign;
}

void emulate_missing(const char* object) {
  const char* realloc_object = object_of(reinterpret_cast<const void*>(functions.realloc));
  // The C library's calls realloc by its name, which is the player's own.
  if (is_libc(realloc_object) || !same_object(functions.reallocarray, realloc_object)) {
    emulated.reallocarray = !same_object(functions.reallocarray, realloc_object);
    functions.reallocarray = reallocarray_of_realloc;
  }
  emulate_aligned(object);
  emulated.free_sized = !same_object(functions.free_sized, object);
  emulated.free_aligned_sized = !same_object(functions.free_aligned_sized, object);
  if (emulated.free_sized) functions.free_sized = free_sized_of_free;
  if (emulated.free_aligned_sized) functions.free_aligned_sized = free_aligned_sized_of_free;
}

int note_code(dl_phdr_info* object, size_t, void* function) {
  const auto address = reinterpret_cast<uintptr_t>(function);
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address - begin < segment.p_memsz) {
      allocator_code = {begin, segment.p_memsz};
      return 1;
    }
  }
  return 0;
}

bool is_wanted(const char* wanted, const char* found) {
  if (strcmp(wanted, "libc") == 0) return is_libc(found);
  static char wanted_path[PATH_MAX];
  static char found_path[PATH_MAX];
  return realpath(wanted, wanted_path) != nullptr && realpath(found, found_path) != nullptr &&
         strcmp(wanted_path, found_path) == 0;
}

}  // namespace

void find_functions(const char* allocator, bool any_object) {
  auto& name = world.results->allocator;
  if (strcmp(allocator, "null") == 0) {
    use_null_functions();
    strcpy(name, "null");
    return;
  }
  find_all();
  const char* object = object_of(reinterpret_cast<const void*>(functions.malloc));
  strncpy(name, object, sizeof name - 1);
  if (!any_object && !is_wanted(allocator, object)) {
    end_run(results::Outcome::kNotLoaded, "malloc comes from %s, not from %s", object, allocator);
  }
  if (functions.malloc == nullptr || functions.free == nullptr || functions.calloc == nullptr ||
      functions.realloc == nullptr) {
    end_run(results::Outcome::kNotLoaded, "%s has no malloc, calloc, realloc or free", object);
  }
  emulate_missing(object);
  if (!is_libc(object)) {
    dl_iterate_phdr(note_code, reinterpret_cast<void*>(functions.malloc));
  }
}

}  // namespace heapledger::player
