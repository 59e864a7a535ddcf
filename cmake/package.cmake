# `cpack` in the build folder makes heapledger_VERSION_ARCH.deb.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heapledger)
set(CPACK_PACKAGE_VENDOR "The Heapledger authors")
set(CPACK_PACKAGE_CONTACT "The Heapledger authors <heapledger@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS graphviz)  # which draws call graphs
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "librsvg2-bin, ffmpeg")  # plots as PNG, and films
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "heap profiler that records every allocation exactly
 Heapledger keeps a ledger of a program's heap: every allocation is entered with
 its size, time, thread and caller, and every free closes the entry. It needs no
 recompilation, and nothing is lost when the program is killed.")

include(CPack)
