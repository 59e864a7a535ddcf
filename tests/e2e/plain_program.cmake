# Test programs are plain, as anyone would build them: never instrumented, whatever our own code is
# built with. The compiler must not know malloc's family, or it would remove the calls we count.
find_package(Threads REQUIRED)
set(test_programs ${CMAKE_BINARY_DIR}/tests/programs)
set(test_environment
  "HEAPLEDGER_TOOL=$<TARGET_FILE:heapledger_tool>"
  "HEAPLEDGER_LIB=$<TARGET_FILE:heapledger_runtime>"
  "HEAPLEDGER_PROGRAMS=${test_programs}")

function(plain_program target)
  target_compile_options(${target} PRIVATE
    -O1 -g -Wall -Wextra $<$<BOOL:${HEAPLEDGER_WERROR}>:-Werror>
    -fno-builtin -fno-optimize-sibling-calls -fno-inline-functions
    $<$<CXX_COMPILER_ID:GNU>:-Wno-alloc-size-larger-than>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsized-deallocation>)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  target_link_options(${target} PRIVATE -Wl,-z,now)
  set_target_properties(${target} PROPERTIES
    ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY ${test_programs}
    LIBRARY_OUTPUT_DIRECTORY ${test_programs})
endfunction()
