# How our code is compiled.
#
# heapledger_options    every target of ours links it PRIVATE: warnings, and through it
# heapledger_sanitize   the sanitizer flags of HEAPLEDGER_SANITIZE.
#
# A target with the property HEAPLEDGER_UNSANITIZED gets the warnings alone. The runtime always is
# one: it is loaded into programs that have no sanitizer, and a sanitizer inside malloc calls
# malloc. A program that a test runs with the runtime preloaded should be one too.
add_library(heapledger_options INTERFACE)
add_library(heapledger_sanitize INTERFACE)

# Warnings are for those who work on the code: to look for them takes time, and who only builds the
# tool never sees them.
option(HEAPLEDGER_WARNINGS "Have the compiler look for faults" ON)
if(HEAPLEDGER_WARNINGS)
  target_compile_options(
    heapledger_options INTERFACE -Wall -Wextra -Wconversion -Wshadow
                                 $<$<BOOL:${HEAPLEDGER_WERROR}>:-Werror>)
else()
  target_compile_options(heapledger_options INTERFACE -w)
endif()
target_compile_options(heapledger_options INTERFACE -fno-omit-frame-pointer)
target_compile_definitions(
  heapledger_options INTERFACE HEAPLEDGER_RELATIVE_LIBDIR="${HEAPLEDGER_RELATIVE_LIBDIR}"
                               HEAPLEDGER_RELATIVE_PLAYERDIR="${HEAPLEDGER_RELATIVE_PLAYERDIR}")
target_link_libraries(heapledger_options INTERFACE heapledger_sanitize)

# For the layers in which no time is spent: half as long to compile. Linked after heapledger_options.
# What GCC does for -Og takes least of all, and the code is no larger; but it warns of more that is
# none, so not where warnings are errors.
add_library(heapledger_unhurried INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT HEAPLEDGER_WARNINGS)
  target_compile_options(heapledger_unhurried INTERFACE -Og)
else()
  target_compile_options(heapledger_unhurried INTERFACE -O1)
endif()

# Some of a target's files, compiled in this way: those in which no time is spent.
#
#   heapledger_unhurried_files(TARGET "LIBRARY..." FILE...)   they include what the libraries have, of
#                                                            the first precompiled headers too
function(heapledger_unhurried_files target libraries)
  set(part ${target}_unhurried)
  add_library(${part} OBJECT ${ARGN})
  heapledger_unity(${part} 0)
  list(GET libraries 0 first)
  if(first MATCHES "^heapledger_")
    heapledger_precompile(${part} REUSE_FROM ${first})
  endif()
  target_link_libraries(${part} PRIVATE ${libraries} heapledger_options heapledger_unhurried)
  target_include_directories(${part} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${part} PRIVATE cxx_std_20)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
endfunction()

# GCC 12 warns of copies inside std::string that cannot happen (its bugs 105651 and 105329). Clang, in
# the sanitizer builds, sees what it would find elsewhere.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  foreach(warning IN ITEMS restrict array-bounds stringop-overflow stringop-overread)
    target_compile_options(heapledger_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-${warning}>)
  endforeach()
endif()

if(HEAPLEDGER_SANITIZE)
  set(wanted "$<NOT:$<BOOL:$<TARGET_PROPERTY:HEAPLEDGER_UNSANITIZED>>>")
  target_compile_options(
    heapledger_sanitize INTERFACE "$<${wanted}:-fsanitize=${HEAPLEDGER_SANITIZE}>"
                                  "$<${wanted}:-fno-sanitize-recover=all>")
  target_link_options(heapledger_sanitize INTERFACE
                      "$<${wanted}:-fsanitize=${HEAPLEDGER_SANITIZE}>")
endif()
