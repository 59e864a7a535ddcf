# Where things are, in the build tree and when installed.
#
# The tool looks for the runtime relative to its own place, so that the whole tree can stand under
# any prefix and be moved later. HEAPLEDGER_RELATIVE_LIBDIR is the way from the folder of the tool
# to the folder of the runtime; the build tree mirrors it, so that both work the same.
include(GNUInstallDirs)

cmake_path(
  RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
  BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}"
  OUTPUT_VARIABLE HEAPLEDGER_RELATIVE_LIBDIR)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
cmake_path(
  ABSOLUTE_PATH HEAPLEDGER_RELATIVE_LIBDIR
  BASE_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
  NORMALIZE
  OUTPUT_VARIABLE CMAKE_LIBRARY_OUTPUT_DIRECTORY)

cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" inside)
if(NOT inside)
  message(
    FATAL_ERROR
      "The library folder ${CMAKE_INSTALL_FULL_LIBDIR} is too far from ${CMAKE_INSTALL_FULL_BINDIR}: "
      "choose CMAKE_INSTALL_LIBDIR and CMAKE_INSTALL_BINDIR under one prefix.")
endif()
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
