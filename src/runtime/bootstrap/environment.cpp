#include "runtime/bootstrap/environment.h"

#include <unistd.h>

#include <cstring>

#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

// Before libc has set up environ.
const char* early_environment(const char* name) {
  static constinit char text[16384] = {};
  int fd = os::open_readonly("/proc/self/environ");
  if (fd < 0) return nullptr;
  size_t bytes = 0;
  long got;
  while (bytes < sizeof text - 1 &&
         (got = os::read_some(fd, text + bytes, sizeof text - 1 - bytes)) > 0) {
    bytes += static_cast<size_t>(got);
  }
  os::close_file(fd);
  size_t length = strlen(name);
  for (const char* at = text; at < text + bytes; at += strlen(at) + 1) {
    if (strncmp(at, name, length) == 0 && at[length] == '=') return at + length + 1;
  }
  return nullptr;
}

}  // namespace

const char* environment(const char* name) {
  if (environ == nullptr) return early_environment(name);
  size_t length = strlen(name);
  for (char** at = environ; *at != nullptr; ++at) {
    if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') return *at + length + 1;
  }
  return nullptr;
}

}  // namespace heapledger::runtime
