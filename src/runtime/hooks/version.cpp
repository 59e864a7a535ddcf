// Lets a program ask whether it is being recorded (include/heapledger.h).
#include <heapledger.h>

extern "C" __attribute__((visibility("default"))) const char* heapledger_version(void) {
  return HEAPLEDGER_VERSION;
}
