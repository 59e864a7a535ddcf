// dlclose: afterwards another module may have the same addresses, so the module list is compared
// with the loader's. The program has just called the loader itself, so its lock is no danger. Until
// that is done other threads do not trust what is known (unloading.h).
#include <dlfcn.h>
#include <hook_form.h>

#include "runtime/ledger/beacon.h"
#include "runtime/unwind/modules.h"
#include "runtime/unwind/unloading.h"

HEAPLEDGER_BEFORE(dlclose)

// NOLINTBEGIN: the name is libc's.
extern "C" __attribute__((visibility("default"))) int dlclose(void* handle) noexcept {
  using namespace heapledger::runtime;
  auto function = HEAPLEDGER_NEXT(dlclose, int (*)(void*));
  if (beacon->recording == 0) return function(handle);
  Unloading unloading;
  int result = function(handle);
  if (beacon->recording != 0) refresh_modules();
  return result;
}
// NOLINTEND
