#include "runtime/unwind/loader_lookup.h"

#include <dlfcn.h>

#include "runtime/os/look_up.h"

namespace heapledger::runtime {
namespace {

template <typename Function>
void take(Function& function, void* from, const char* name) {
  function = reinterpret_cast<Function>(dlsym(from, name));
}

}  // namespace

void* find_object_function() {
  return os::look_up(RTLD_DEFAULT, "_dl_find_object");
}

Reference find_reference() {
  Reference reference;
  void* from = dlopen("libgcc_s.so.1", RTLD_NOW);
  if (from == nullptr) return reference;
  take(reference.backtrace, from, "_Unwind_Backtrace");
  take(reference.ip_info, from, "_Unwind_GetIPInfo");
  take(reference.cfa, from, "_Unwind_GetCFA");
  return reference;
}

}  // namespace heapledger::runtime
