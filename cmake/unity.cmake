# Compiling the files of a target in batches, each as one file that includes several. Most of the
# time of a build goes into headers and templates that every file needs, so this takes a fraction
# of it. Presets whose builds are made whole, not file by file as one writes, ask for it.
#
# What a file keeps to itself, in an unnamed namespace, has a name that no other file of its target
# has: files come and go, and with them the batches move. (In the command line: of its room.)
#
#   heapledger_unity(TARGET FILES)   so many files in a batch; 0: all of them in one
option(HEAPLEDGER_UNITY "Compile source files in batches: a quicker build of everything" OFF)

# GCC looks for memory that it can use again far more often than batches need, where there is enough.
if(HEAPLEDGER_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
  if(megabytes GREATER 7000)
    add_compile_options(--param=ggc-min-heapsize=1500000)
  elseif(megabytes GREATER 3500)
    add_compile_options(--param=ggc-min-heapsize=262144 --param=ggc-min-expand=200)
  endif()
endif()

function(heapledger_unity target files)
  if(HEAPLEDGER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  endif()
endfunction()
