# `cmake --build build/release --target tarball`: heapledger-VERSION-linux-ARCH.tar.zst, which needs nothing but a libc,
# and none younger than the runtime does.
#
# The tool and the player in it are linked once more, of the same objects: with the archives of what they use, and
# with stand-ins for an old libc (cmake/older_libc). Two thirds of the tool are ours.
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR HEAPLEDGER_SANITIZE)
  return()
endif()
enable_language(ASM)
find_package(fmt REQUIRED)
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  return()
endif()

set(older_libc "${CMAKE_CURRENT_LIST_DIR}/older_libc")
set(portable "${CMAKE_BINARY_DIR}/portable")
set(stand_ins "${portable}/link")
set(stand_in_files libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libc.so.6)
list(TRANSFORM stand_in_files PREPEND "${stand_ins}/" OUTPUT_VARIABLE stand_in_paths)

add_custom_command(
  OUTPUT ${stand_in_paths}
  COMMAND Python3::Interpreter -B "${older_libc}/stand_ins.py" ${CMAKE_C_COMPILER} "${stand_ins}"
  DEPENDS "${older_libc}/stand_ins.py"
  VERBATIM)

add_library(heapledger_older_start OBJECT EXCLUDE_FROM_ALL "${older_libc}/start.S" "${older_libc}/younger.c")
add_library(heapledger_format_archive OBJECT EXCLUDE_FROM_ALL "${older_libc}/format.cpp")
target_link_libraries(heapledger_format_archive PRIVATE fmt::fmt)
target_compile_features(heapledger_format_archive PRIVATE cxx_std_20)
foreach(part IN ITEMS heapledger_older_start heapledger_format_archive)
  target_compile_options(${part} PRIVATE -O2 -w -fPIE -ffunction-sections)
endforeach()

# The path of a file that the compiler brings.
function(heapledger_compilers_file variable name)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} "-print-file-name=${name}" OUTPUT_VARIABLE path
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()
heapledger_compilers_file(before_all crti.o)
heapledger_compilers_file(before crtbeginS.o)
heapledger_compilers_file(after crtendS.o)
heapledger_compilers_file(after_all crtn.o)

# Links OUTPUT of a target's objects, and of archives. gold: the other linker leaves an empty relocation behind, which
# old loaders refuse.
function(heapledger_link_portable target output)
  add_custom_command(
    OUTPUT "${portable}/${output}"
    COMMAND ${CMAKE_CXX_COMPILER} -fuse-ld=gold -nostdlib -pie -s -o "${portable}/${output}"
            -Wl,-z,now,-z,relro,--gc-sections,--icf=safe,--as-needed
            "${before_all}" "${before}" "$<TARGET_OBJECTS:${target}>" "$<TARGET_OBJECTS:heapledger_older_start>"
            ${ARGN} -Wl,-Bstatic -lstdc++ -lgcc -lgcc_eh -l:libc_nonshared.a -Wl,-Bdynamic
            ${stand_in_paths} -lgcc "${after}" "${after_all}"
    DEPENDS ${target} heapledger_older_start "$<TARGET_OBJECTS:heapledger_older_start>" ${stand_in_paths}
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

set(layers cli analyzer writer exporters importers cores elf replay advice plots settings server text symbols viewer base commit_text)
set(archives "")
foreach(layer IN LISTS layers)
  list(APPEND archives "$<TARGET_FILE:heapledger_${layer}>")
endforeach()
heapledger_link_portable(
  heapledger_tool heapledger "$<TARGET_OBJECTS:heapledger_format_archive>" -Wl,--start-group ${archives} -Wl,--end-group
  -Wl,-Bstatic -ldw -lelf -lz -lbz2 -llzma -lzstd -lsqlite3 -liberty)
heapledger_link_portable(heapledger_player heapledger-player)

set(tarball "${CMAKE_BINARY_DIR}/heapledger-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}.tar.zst")
add_custom_target(
  tarball
  COMMAND Python3::Interpreter -B "${CMAKE_CURRENT_LIST_DIR}/make_tarball.py" "${CMAKE_COMMAND}" "${CMAKE_BINARY_DIR}"
          "${HEAPLEDGER_PLAYER_DIR}" "${tarball}"
  DEPENDS "${portable}/heapledger" "${portable}/heapledger-player" heapledger_format_archive heapledger_runtime
          heapledger_static heapledger_new heapledger_completions heapledger_man_pages
  VERBATIM)
