#include "runtime/os/look_up.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <cstring>

namespace heapledger::runtime::os {
namespace {

// Of what we ask for, what those libcs lack. (Two of them have the last; they are taken for older.)
constexpr const char* kYounger[] = {"close_range", "closefrom", "_dl_find_object",
                                    "__libc_single_threaded"};

bool is_younger(const char* name) {
  for (const char* younger : kYounger) {
    if (strcmp(name, younger) == 0) return true;
  }
  return false;
}

}  // namespace

// 2.34 moved the loader's functions into libc, and they have allocated nothing since.
bool looking_up_allocates() {
  const char* version = gnu_get_libc_version();
  if (strncmp(version, "2.", 2) != 0) return false;
  unsigned minor = 0;
  for (const char* digit = version + 2; *digit >= '0' && *digit <= '9'; ++digit) {
    minor = minor * 10 + static_cast<unsigned>(*digit - '0');
  }
  return minor < 34;
}

void* look_up(void* scope, const char* name) {
  return looking_up_allocates() && is_younger(name) ? nullptr : dlsym(scope, name);
}

}  // namespace heapledger::runtime::os
