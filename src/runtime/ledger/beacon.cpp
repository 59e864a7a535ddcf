#include "runtime/ledger/beacon.h"

#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

volatile Beacon unlit = {};

}  // namespace

constinit volatile Beacon* beacon = &unlit;

bool raise_beacon() {
  if (beacon == &unlit) {
    void* page = os::map_private(os::page_bytes());
    if (page == nullptr) return false;
    os::wipe_on_fork(page, os::page_bytes());
    beacon = static_cast<volatile Beacon*>(page);
  }
  beacon->alive = 1;
  return true;
}

void wipe_beacon() {
  beacon->recording = 0;
  beacon->alone = 0;
  beacon->alive = 0;
  beacon->ending = 0;
}

}  // namespace heapledger::runtime
