// What this process's recording was asked to do. Read once at the start; afterwards only a change
// of mode writes to it (modes/choose_mode.h), and then one word at a time.
#pragma once

#include "settings/settings.h"

namespace heapledger::runtime {

extern settings::Settings settings_in_force __attribute__((visibility("hidden")));

}  // namespace heapledger::runtime
