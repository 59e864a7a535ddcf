// Stands in for libdl.so.2 when our libraries are linked, and is never shipped
// (cmake/older_libc.cmake).
#define STAND_IN(name) \
  void name(void);     \
  void name(void) {}

STAND_IN(dladdr)
STAND_IN(dladdr1)
STAND_IN(dlerror)
STAND_IN(dlopen)
STAND_IN(dlsym)
