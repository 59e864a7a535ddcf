# A page for man of each command, by the tool itself:
#
#   cmake -DTOOL=... -DFOLDER=... -P man_pages.cmake
execute_process(COMMAND "${TOOL}" help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n  [a-z][a-z-]+  " commands "${help}")
file(MAKE_DIRECTORY "${FOLDER}")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  execute_process(COMMAND "${TOOL}" help --man "${command}" OUTPUT_FILE "${FOLDER}/heapledger-${command}.1"
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
