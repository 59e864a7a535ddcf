# Links a library of ours so that it starts on every glibc from 2.17 on, whichever it is built on.
#
# Only the loader's functions stand in the way: glibc 2.34 moved them into libc under new versions. A stand-in for
# libdl.so.2 has them under those that every glibc since 2.3.3 has there, which later ones still serve.
add_library(heapledger_older_libdl SHARED "${CMAKE_CURRENT_LIST_DIR}/older_libc/libdl.c")
set(older_libdl_map "${CMAKE_CURRENT_LIST_DIR}/older_libc/libdl.map")
target_compile_options(heapledger_older_libdl PRIVATE -w -fno-builtin)
target_link_options(heapledger_older_libdl PRIVATE -nostdlib "-Wl,--version-script=${older_libdl_map}")
set_target_properties(
  heapledger_older_libdl
  PROPERTIES OUTPUT_NAME dl
             SOVERSION 2
             LINKER_LANGUAGE C
             LINK_DEPENDS "${older_libdl_map}"
             LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/older_libc_link")

function(heapledger_link_older_libc target)
  target_link_libraries(${target} PRIVATE heapledger_older_libdl)
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
endfunction()
