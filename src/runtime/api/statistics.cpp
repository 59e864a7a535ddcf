// The public function that tells statistics.
#include <cstring>

#include "runtime/api/exported.h"
#include "runtime/api/figures.h"

using namespace heapledger::runtime;

// NOLINTBEGIN: names and signatures are those of the public header.
HEAPLEDGER_EXPORTED int heapledger_api_statistics(heapledger_figures* statistics, int threads,
                                                  size_t bytes) {
  if (!is_recording()) return 0;
  heapledger_figures told = {};
  if (!figures_now(told, threads == HEAPLEDGER_THIS_THREAD)) return 0;
  memcpy(statistics, &told, bytes < sizeof told ? bytes : sizeof told);
  return 1;
}
// NOLINTEND
