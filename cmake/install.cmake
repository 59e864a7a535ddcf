# What `cmake --install` puts where. The names of the folders come from GNUInstallDirs.
install(
  TARGETS heapledger_tool heapledger_runtime heapledger_static heapledger_new
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${HEAPLEDGER_RUNTIME_DIR}"
  ARCHIVE DESTINATION "${HEAPLEDGER_RUNTIME_DIR}")
install(TARGETS heapledger_player RUNTIME DESTINATION "${HEAPLEDGER_PLAYER_DIR}")

install(FILES include/heapledger.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# To be compiled into programs elsewhere (docs/porting.md).
install(FILES embed/heapledger_embed.c embed/heapledger_embed.h embed/example.c
        DESTINATION "${CMAKE_INSTALL_DATADIR}/heapledger/embed")
install(FILES docs/man/heapledger.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES README.md CHANGELOG.md docs/manual.md docs/advise.md docs/replay.md docs/recipes.md docs/porting.md docs/format.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/pictures DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# Under the name where Debian and its tools look for it.
install(
  FILES LICENSE
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  RENAME copyright)

# Of what the page is made of besides our own.
install(
  FILES third_party/preact/LICENSE
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  RENAME preact.LICENSE)

# A page of each command, written by the tool itself.
set(man_pages "${CMAKE_BINARY_DIR}/man")
add_custom_command(
  OUTPUT "${man_pages}/heapledger-run.1"
  COMMAND ${CMAKE_COMMAND} "-DTOOL=$<TARGET_FILE:heapledger_tool>" "-DFOLDER=${man_pages}" -P
          "${CMAKE_CURRENT_LIST_DIR}/man_pages.cmake"
  DEPENDS heapledger_tool "${CMAKE_CURRENT_LIST_DIR}/man_pages.cmake"
  VERBATIM)
add_custom_target(heapledger_man_pages ALL DEPENDS "${man_pages}/heapledger-run.1")
install(DIRECTORY "${man_pages}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")

# Completion, written by the tool itself, where the three shells look for it.
set(completions "${CMAKE_BINARY_DIR}/completions")
foreach(shell bash zsh fish)
  add_custom_command(
    OUTPUT "${completions}/heapledger.${shell}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${completions}"
    COMMAND heapledger_tool completion ${shell} > "${completions}/heapledger.${shell}"
    DEPENDS heapledger_tool
    VERBATIM)
endforeach()
add_custom_target(
  heapledger_completions ALL DEPENDS "${completions}/heapledger.bash"
                                     "${completions}/heapledger.zsh"
                                     "${completions}/heapledger.fish")
install(
  FILES "${completions}/heapledger.bash"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
  RENAME heapledger)
install(
  FILES "${completions}/heapledger.zsh"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
  RENAME _heapledger)
install(FILES "${completions}/heapledger.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

# For projects that use it: find_package(heapledger), and pkg-config. All of it finds the rest from its own place.
include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/heapledger")
set(package_sources "${CMAKE_CURRENT_LIST_DIR}/package")
configure_package_config_file(
  "${package_sources}/heapledger-config.cmake.in" "${CMAKE_BINARY_DIR}/package/heapledger-config.cmake"
  INSTALL_DESTINATION "${package_folder}"
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR HEAPLEDGER_RUNTIME_DIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/heapledger-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${CMAKE_BINARY_DIR}/package/heapledger-config.cmake"
        "${CMAKE_BINARY_DIR}/package/heapledger-config-version.cmake"
        "${package_sources}/heapledger-memory-test.cmake" "${package_sources}/heapledger-run-memory-test.cmake"
  DESTINATION "${package_folder}")

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
           OUTPUT_VARIABLE HEAPLEDGER_PC_TO_PREFIX)
foreach(name IN ITEMS heapledger heapledger-recorder)
  configure_file("${package_sources}/${name}.pc.in" "${CMAKE_BINARY_DIR}/package/${name}.pc" @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/package/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
