# cpack -G DEB: one package with headers, libraries, find_package and pkg-config files. The two
# backends have the same files, so that only one can be installed.
if(PRIM_BACKEND STREQUAL cpu)
  set(CPACK_PACKAGE_NAME libprimitives-cpu-dev)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS libprimitives-dev)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6-dev, libstdc++-dev, libboost-context-dev")
  set(backend "This build runs on the CPU backend and needs no GPU: it is for tests, not for speed.")
else()
  set(CPACK_PACKAGE_NAME libprimitives-dev)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS libprimitives-cpu-dev)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6-dev, libstdc++-dev")
  set(cuda ${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR})
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS # no dependency: the toolkit need not come from a package
    "cuda-cudart-dev-${cuda} | nvidia-cuda-toolkit (>= ${CUDAToolkit_VERSION_MAJOR})")
  set(backend "It needs the CUDA toolkit ${CUDAToolkit_VERSION_MAJOR}, and a GPU to run.")
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The authors of primitives <primitives@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Reduction, scan, histogram, merge, convolution, sparse and dense \
products, with a plain C11 API.\n${backend}")
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ${BUILD_SHARED_LIBS})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

# Debian's policy has the licence in the package's own folder.
set(documents ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_PACKAGE_NAME})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${documents})
