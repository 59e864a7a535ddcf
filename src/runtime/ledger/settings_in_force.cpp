#include "runtime/ledger/settings_in_force.h"

namespace heapledger::runtime {

constinit settings::Settings settings_in_force = {};

}  // namespace heapledger::runtime
