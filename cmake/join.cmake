# Compiling the files of a target in groups, as one file that includes several. Most of the time
# of a build goes into headers and templates that every file needs, so this takes about half of it.
#
# Presets whose builds are made whole, not file by file as one writes, ask for it. Which files go
# together is found by scripts/join_sources.py; without Python every file is compiled on its own.
option(HEAPLEDGER_JOIN "Compile source files in groups: a quicker build of everything" OFF)
set(HEAPLEDGER_JOIN_MOST 12)

if(HEAPLEDGER_JOIN)
  find_package(Python3 QUIET COMPONENTS Interpreter)
endif()

function(heapledger_join target)
  if(NOT HEAPLEDGER_JOIN OR NOT Python3_EXECUTABLE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B "${PROJECT_SOURCE_DIR}/scripts/join_sources.py"
            "${PROJECT_SOURCE_DIR}/src" ${HEAPLEDGER_JOIN_MOST} ${sources}
    OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(number 0)
  string(REPLACE ";" "|" groups "${groups}")
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(group IN LISTS groups)
    string(REPLACE "|" ";" group "${group}")
    list(LENGTH group size)
    if(size GREATER 1)
      set_source_files_properties(${group} PROPERTIES UNITY_GROUP "${target}_${number}")
    endif()
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()
