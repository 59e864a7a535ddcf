# Writes OUTPUT, a source file with the commit that is being built, when that has changed. Run as a script at each
# build:
#
#   cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake
#
# HEAPLEDGER_COMMIT in the environment says it for sources without their history.
set(commit "$ENV{HEAPLEDGER_COMMIT}")
if(NOT commit AND EXISTS "${SOURCE}/.git")
  execute_process(
    COMMAND git -C "${SOURCE}" describe --always --dirty=+changes --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit MATCHES "^[0-9a-f]+([+]changes)?$")
  set(commit "")
endif()
set(text "#include \"cli/shared/commit.h\"\n\nconst char* const heapledger::cli::kCommit = \"${commit}\";\n")
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT text STREQUAL before)
  file(WRITE "${OUTPUT}" "${text}")
endif()
