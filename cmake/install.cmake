# What `cmake --install` puts where. The names of the folders come from GNUInstallDirs.
install(
  TARGETS heapledger_tool heapledger_runtime
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

install(FILES include/heapledger.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES docs/man/heapledger.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES README.md docs/manual.md docs/format.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# Under the name where Debian and its tools look for it.
install(
  FILES LICENSE
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  RENAME copyright)
