# The runtime never gets a sanitizer (cmake/options.cmake says why).
set_target_properties(heapledger_runtime PROPERTIES HEAPLEDGER_UNSANITIZED ON)
