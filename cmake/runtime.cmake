# What the rest of the build has to know about the runtime.

# It never gets a sanitizer (cmake/options.cmake says why).
set_target_properties(heapledger_runtime heapledger_runtime_common heapledger_static heapledger_new
                      PROPERTIES HEAPLEDGER_UNSANITIZED ON)

# Its core as a library of its own is for tests; nothing that is installed needs it.
if(NOT HEAPLEDGER_TESTS)
  set_target_properties(heapledger_runtime_core PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
