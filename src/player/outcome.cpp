#include "player/outcome.h"

#include <stdarg.h>
#include <stdio.h>

#include <atomic>

#include "player/kernel.h"
#include "player/world.h"

namespace heapledger::player {

void end_run(results::Outcome outcome, const char* format, ...) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  while (said.test_and_set()) kernel::sleep(1'000'000);
  va_list values;
  va_start(values, format);
  vsnprintf(world.results->text, sizeof world.results->text, format, values);
  va_end(values);
  __atomic_store_n(&world.results->outcome, static_cast<uint32_t>(outcome), __ATOMIC_RELEASE);
  kernel::exit_process(0);
}

}  // namespace heapledger::player
