# Where things are, in the build tree and when installed.
#
# The tool looks for the runtime relative to its own place, so that the whole tree can stand under
# any prefix and be moved later. HEAPLEDGER_RELATIVE_LIBDIR is the way from the folder of the tool
# to the folder of the runtime, HEAPLEDGER_RELATIVE_PLAYERDIR that to the player's; the build tree mirrors them, so
# that both work the same.
include(GNUInstallDirs)
set(HEAPLEDGER_RUNTIME_DIR "${CMAKE_INSTALL_LIBDIR}" CACHE STRING "Under the prefix: where the recorder goes")
set(HEAPLEDGER_PLAYER_DIR "${HEAPLEDGER_RUNTIME_DIR}" CACHE STRING "Under the prefix: where the player goes")

# VARIABLE: the way from the tool to FOLDER, which is under the prefix.
function(heapledger_way_to folder variable)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE OUTPUT_VARIABLE whole)
  cmake_path(RELATIVE_PATH whole BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}" OUTPUT_VARIABLE way)
  set(${variable} "${way}" PARENT_SCOPE)
endfunction()
heapledger_way_to("${HEAPLEDGER_RUNTIME_DIR}" HEAPLEDGER_RELATIVE_LIBDIR)
heapledger_way_to("${HEAPLEDGER_PLAYER_DIR}" HEAPLEDGER_RELATIVE_PLAYERDIR)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
cmake_path(
  ABSOLUTE_PATH HEAPLEDGER_RELATIVE_LIBDIR
  BASE_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
  NORMALIZE
  OUTPUT_VARIABLE CMAKE_LIBRARY_OUTPUT_DIRECTORY)
cmake_path(
  ABSOLUTE_PATH HEAPLEDGER_RELATIVE_PLAYERDIR
  BASE_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
  NORMALIZE
  OUTPUT_VARIABLE HEAPLEDGER_PLAYER_OUTPUT_DIRECTORY)

cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" inside)
if(NOT inside)
  message(
    FATAL_ERROR
      "The library folder ${HEAPLEDGER_RUNTIME_DIR} is too far from ${CMAKE_INSTALL_FULL_BINDIR}: "
      "choose HEAPLEDGER_RUNTIME_DIR and CMAKE_INSTALL_BINDIR under one prefix.")
endif()
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
