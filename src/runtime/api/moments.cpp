// The public functions that give moments names.
#include <cstring>

#include "runtime/api/exported.h"
#include "runtime/api/figures.h"
#include "runtime/modes/note.h"
#include "runtime/modes/statistics.h"
#include "runtime/os/text.h"

using namespace heapledger::runtime;

// NOLINTBEGIN: names and signatures are those of the public header.
HEAPLEDGER_EXPORTED int heapledger_api_marker(const char* name) {
  return name != nullptr && is_recording() && enter_marker({}, name);
}

HEAPLEDGER_EXPORTED int heapledger_api_clear(void) {
  if (!is_recording()) return 0;
  bool entered = enter_marker({}, "clear");
  restart_figures();
  return entered;
}

HEAPLEDGER_EXPORTED int heapledger_api_scope_begin(heapledger_scope* scope) {
  if (!is_recording()) return 0;
  bool entered = scope->name == nullptr || enter_marker({}, scope->name);
  remember_figures(*scope);
  return entered;
}

HEAPLEDGER_EXPORTED int heapledger_api_scope_end(heapledger_scope* scope,
                                                 heapledger_scope_figures* figures, size_t bytes) {
  if (!is_recording()) return 0;
  heapledger_scope_figures told = {};
  bool known = figures_since(*scope, told);
  memcpy(figures, &told, bytes < sizeof told ? bytes : sizeof told);
  if (scope->name != nullptr) {
    heapledger::runtime::os::Text<256> end;
    end.add(scope->name, strnlen(scope->name, 240)).add(":end");
    enter_marker({}, end.data());
  }
  return known;
}
// NOLINTEND
