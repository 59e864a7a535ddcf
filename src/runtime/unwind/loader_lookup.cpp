#include "runtime/unwind/loader_lookup.h"

#include <dlfcn.h>

namespace heapledger::runtime {
namespace {

template <typename Function>
void take(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

void* find_object_function() {
  return dlsym(RTLD_DEFAULT, "_dl_find_object");
}

Reference find_reference() {
  Reference reference;
  void* library = dlopen("libgcc_s.so.1", RTLD_NOW);
  if (library == nullptr) return reference;
  take(reference.backtrace, library, "_Unwind_Backtrace");
  take(reference.ip_info, library, "_Unwind_GetIPInfo");
  take(reference.cfa, library, "_Unwind_GetCFA");
  return reference;
}

}  // namespace heapledger::runtime
