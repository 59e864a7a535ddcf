#include "runtime/bootstrap/resolve.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

#include "runtime/modes/asked.h"
#include "runtime/os/look_up.h"

namespace heapledger::runtime {
namespace {

constinit const char* library = "";
constinit BypassText bypassing;

// Whose calls may go elsewhere: whatever gives or takes blocks, and is in every libc (look_up_all).
#define X(id, result, name, parameters, arguments) format::Function::id,
constexpr format::Function kCommon[] = {HEAPLEDGER_HEAP_FUNCTIONS(X, X, X, HEAPLEDGER_SKIP)};
#undef X

// The loaded file that holds `function`.
template <typename Function>
Dl_info place_of(Function function) {
  Dl_info info = {};
  if (function != nullptr) dladdr(reinterpret_cast<void*>(function), &info);
  return info;
}

template <typename Function>
void look_up(Function& function, void* scope, const char* name) {
  function = reinterpret_cast<Function>(dlsym(scope, name));
}

// Not those that most libcs lack: we make them of others anyway, and a dlsym that fails leaves an
// error text behind that somebody's dlsym will free, through an allocator that may be calling dlsym
// itself at that moment.
void look_up_all(RealHeap& heap, void* scope) {
#define X(id, result, name, parameters, arguments) look_up(heap.name, scope, #name);
  HEAPLEDGER_REAL_FUNCTIONS(X)
#undef X
}

// A function of another library than malloc's is no function of this allocator.
template <typename Function>
void keep_if_from(const void* home, Function& function) {
  if (place_of(function).dli_fbase != home) function = nullptr;
}

void keep_one_allocator(RealHeap& heap) {
  Dl_info malloc_place = place_of(heap.malloc);
  if (malloc_place.dli_fname == nullptr) return;
  library = malloc_place.dli_fname;
  // A library that stands before malloc alone, to watch it, gets what it natively would.
  bool is_allocator = place_of(heap.memalign).dli_fbase == malloc_place.dli_fbase ||
                      place_of(heap.posix_memalign).dli_fbase == malloc_place.dli_fbase;
  if (strstr(library, "libc.so") != nullptr || !is_allocator) return;
#define X(id, result, name, parameters, arguments)      \
  if (act_of(format::Function::id) != Act::kQuestion) { \
    keep_if_from(malloc_place.dli_fbase, heap.name);    \
  }
  HEAPLEDGER_HEAP_FUNCTIONS(HEAPLEDGER_SKIP, X, HEAPLEDGER_SKIP, HEAPLEDGER_SKIP)
#undef X
}

// Where a call of `function` goes that some library makes; empty: to the executable; null: to us,
// or one cannot tell. An executable that takes the function's address may have a symbol for it that
// is no definition.
const char* file_before_us(const char* function) {
  void* found = dlsym(RTLD_DEFAULT, function);
  Dl_info info = {};
  void* symbol = nullptr;
  if (found == nullptr || dladdr1(found, &info, &symbol, RTLD_DL_SYMENT) == 0) return nullptr;
  if (symbol == nullptr || static_cast<const Elf64_Sym*>(symbol)->st_shndx == SHN_UNDEF) {
    return nullptr;
  }
  if (info.dli_fbase == place_of(file_before_us).dli_fbase) return nullptr;
  void* object = nullptr;
  dladdr1(found, &info, &object, RTLD_DL_LINKMAP);
  bool is_executable = object != nullptr && static_cast<link_map*>(object)->l_name[0] == '\0';
  return is_executable ? "" : info.dli_fname;
}

void look_before(format::Function function) {
  const char* name = format::name_of(function);
  const char* file = file_before_us(name);
  if (file == nullptr) return;
  if (bypassing.size() == 0) bypassing.add(file, strlen(file) + 1);
  bypassing.add(name, strlen(name) + 1);
}

}  // namespace

// Those that give blocks are named first.
void find_bypass() {
  for (format::Function function : kCommon) {
    if (act_of(function) == Act::kBirth || act_of(function) == Act::kResize) look_before(function);
  }
  for (format::Function function : kCommon) {
    if (act_of(function) == Act::kDeath) look_before(function);
  }
}

const BypassText& bypass() {
  return bypassing;
}

bool resolve_real_heap() {
  look_up_all(real_heap, RTLD_NEXT);
  keep_one_allocator(real_heap);
  return fill_gaps(real_heap);
}

const char* load_real_heap(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return reason == nullptr ? "the loader does not say why" : reason;
  }
  RealHeap heap = {};
  look_up_all(heap, handle);
  // A library that is no allocator has libc's functions, through what it needs.
  keep_one_allocator(heap);
  Dl_info place = place_of(heap.malloc);
  if (place.dli_fname == nullptr || strstr(place.dli_fname, "libc.so") != nullptr ||
      !fill_gaps(heap)) {
    return "it has no malloc";
  }
  real_heap = heap;
  return nullptr;
}

const void* find_single_thread_word() {
  return os::look_up(RTLD_DEFAULT, "__libc_single_threaded");
}

const char* real_heap_library() {
  return library;
}

}  // namespace heapledger::runtime
