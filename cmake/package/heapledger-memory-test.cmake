# heapledger_add_memory_test(NAME name COMMAND program [argument...] [LIMIT value]... [SETTINGS setting...])
#
# A test that records a program's heap, and fails when the program fails or goes over a limit:
#
#   MAX_PEAK 64MiB       most bytes live at any moment      MAX_CALLS 10k        calls that allocate
#   MAX_LEAKED 0         bytes never freed, or 2%           MAX_TEMPORARY 50%    share of calls freed at once
#   MAX_RSS 100MiB       highest resident memory            LIMITS file          more of them, as `heapledger check` has them
#                                                           SUPPRESSIONS file    what may stay unfreed
#
# SETTINGS are words of `heapledger run`, such as depth=64. COMMAND may begin with a target. The ledger stays in the
# build folder, under heapledger/, until the next run; beside it is what was found, in JUnit's format.
include_guard()
set(HEAPLEDGER_MEMORY_TEST_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/heapledger-run-memory-test.cmake")

function(heapledger_add_memory_test)
  set(limits MAX_PEAK MAX_LEAKED MAX_RSS MAX_CALLS MAX_TEMPORARY LIMITS SUPPRESSIONS)
  cmake_parse_arguments(PARSE_ARGV 0 wanted "" "NAME;${limits}" "COMMAND;SETTINGS")
  if(wanted_UNPARSED_ARGUMENTS OR NOT wanted_NAME OR NOT wanted_COMMAND)
    message(FATAL_ERROR "heapledger_add_memory_test: NAME and COMMAND are needed; not understood: '${wanted_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(word IN LISTS wanted_COMMAND)
    if(word MATCHES "^MAX_[A-Z]+$")
      message(FATAL_ERROR "heapledger_add_memory_test: there is no limit ${word}; there are: ${limits}")
    endif()
  endforeach()
  set(checks "")
  set(options --max-peak --max-never-freed --max-rss --max-calls --max-temporary --limits --suppressions)
  foreach(limit option IN ZIP_LISTS limits options)
    if(DEFINED wanted_${limit})
      list(APPEND checks "${option}" "${wanted_${limit}}")
    endif()
  endforeach()
  if(NOT checks)
    message(FATAL_ERROR "heapledger_add_memory_test: ${wanted_NAME} has no limit, so it could never fail")
  endif()
  list(POP_FRONT wanted_COMMAND program)
  if(TARGET "${program}")
    set(program "$<TARGET_FILE:${program}>")
  endif()
  string(MAKE_C_IDENTIFIER "${wanted_NAME}" folder)
  add_test(
    NAME "${wanted_NAME}"
    COMMAND
      ${CMAKE_COMMAND} "-DHEAPLEDGER=${HEAPLEDGER_EXECUTABLE}" "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/heapledger/${folder}"
      "-DSETTINGS=${wanted_SETTINGS}" "-DCHECKS=${checks}" -P "${HEAPLEDGER_MEMORY_TEST_SCRIPT}" -- "${program}"
      ${wanted_COMMAND})
endfunction()
