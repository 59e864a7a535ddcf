# Headers of libraries, read once for many files. Most of the time of a build went into reading
# them again for each file. Every file still includes what it needs; with HEAPLEDGER_PRECOMPILE=OFF a
# file that does not is found.
#
#   heapledger_precompile(TARGET HEADER...)        TARGET reads these once
#   heapledger_precompile(TARGET REUSE_FROM OTHER) the same as OTHER, which is compiled the same way
option(HEAPLEDGER_PRECOMPILE "Read the headers of libraries once for many files" ON)

set(HEAPLEDGER_COMMON_HEADERS
    <algorithm> <array> <charconv> <chrono> <cstdint> <cstdio> <cstring> <deque> <functional> <map>
    <memory> <optional> <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map>
    <utility> <vector>)

function(heapledger_precompile target)
  if(HEAPLEDGER_PRECOMPILE)
    if(ARGV1 STREQUAL REUSE_FROM)
      target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    else()
      target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
  endif()
endfunction()
