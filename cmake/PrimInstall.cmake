# cmake --install: public headers, libraries, find_package(primitives) and pkg-config. All paths are
# relative to each other, so that what is installed may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(patterns GLOBAL PROPERTY PRIM_PATTERNS)
set(cmake_directory ${CMAKE_INSTALL_LIBDIR}/cmake/primitives)
set(pkgconfig_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The CPU backend's cuda_runtime.h stands where no compiler looks unless a target says so: it never
# shadows CUDA's own.
set(simt_headers ${CMAKE_INSTALL_INCLUDEDIR}/primitives-simt)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/primitives TYPE INCLUDE
  FILES_MATCHING PATTERN "*.h")
if(PRIM_BACKEND STREQUAL cpu)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/simt/include/ DESTINATION ${simt_headers})
  target_include_directories(simt PUBLIC $<INSTALL_INTERFACE:${simt_headers}>)
  install(TARGETS simt EXPORT primitives)
endif()

# The libraries.
if(BUILD_SHARED_LIBS)
  list(TRANSFORM patterns REPLACE "(.+)" "prim_\\1_shared" OUTPUT_VARIABLE targets)
  install(TARGETS primitives ${targets} EXPORT primitives
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
else()
  list(TRANSFORM patterns PREPEND prim_ OUTPUT_VARIABLE targets)
  if(PRIM_HAS_NCCL) # a component, but no part of primitives::primitives
    list(APPEND patterns distributed)
    list(APPEND targets prim_distributed)
  endif()
  install(TARGETS primitives prim_common ${targets} EXPORT primitives
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

# find_package(primitives COMPONENTS reduce)
install(EXPORT primitives FILE primitives-targets.cmake NAMESPACE primitives::
  DESTINATION ${cmake_directory})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/primitives-config.cmake.in
  ${PROJECT_BINARY_DIR}/primitives-config.cmake INSTALL_DESTINATION ${cmake_directory}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/primitives-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/primitives-config.cmake
  ${PROJECT_BINARY_DIR}/primitives-config-version.cmake DESTINATION ${cmake_directory})

# pkg-config: primitives, and primitives-reduce and so on. Where the libraries are static there is
# only one way to link them, so that Libs: names all they need, and --static changes nothing.
function(prim_pc name description requires libs cflags)
  list(JOIN libs " " libs)
  list(JOIN cflags " " cflags)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/primitives.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_directory})
endfunction()

file(RELATIVE_PATH pc_prefix /${pkgconfig_directory} /)
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
set(cflags -I\${includedir})
if(PRIM_BACKEND STREQUAL cpu)
  list(APPEND cflags "-isystem \${prefix}/${simt_headers}")
  set(runtime -lprimitives_simt)
  set(runtime_needs -lboost_context -pthread)
else()
  list(TRANSFORM CUDAToolkit_INCLUDE_DIRS PREPEND "-isystem " OUTPUT_VARIABLE cuda_cflags)
  list(APPEND cflags ${cuda_cflags})
  set(runtime -L${CUDAToolkit_LIBRARY_DIR})
  set(runtime_needs -lcudart_static -ldl -lrt -pthread)
endif()

if(BUILD_SHARED_LIBS)
  if(PRIM_BACKEND STREQUAL cuda)
    list(APPEND runtime -lcudart)
  endif()
  prim_pc(primitives "${PROJECT_DESCRIPTION}" "" "-L\${libdir};-lprimitives;${runtime}" "${cflags}")
  foreach(pattern IN LISTS patterns)
    prim_pc(primitives-${pattern} "The pattern ${pattern} of primitives" primitives "" "")
  endforeach()
else()
  if(OpenMP_CXX_FOUND)
    list(TRANSFORM OpenMP_CXX_LIB_NAMES PREPEND -l OUTPUT_VARIABLE openmp)
  endif()
  prim_pc(primitives-common "What the patterns of primitives share" ""
    "-L\${libdir};-lprimitives_common;${runtime};${runtime_needs};${openmp};-lstdc++;-lm" "${cflags}")
  foreach(pattern IN LISTS patterns)
    get_target_property(needs prim_${pattern} LINK_LIBRARIES)
    list(FILTER needs INCLUDE REGEX "^prim_")
    list(TRANSFORM needs REPLACE "^prim_" primitives-)
    list(JOIN needs ", " needs)
    set(libs "-L\${libdir};-lprimitives_${pattern}")
    if(pattern STREQUAL distributed AND PRIM_BACKEND STREQUAL cuda)
      list(APPEND libs -lnccl)
    endif()
    prim_pc(primitives-${pattern} "The pattern ${pattern} of primitives" "${needs}" "${libs}" "")
  endforeach()
  list(REMOVE_ITEM patterns distributed)
  list(TRANSFORM patterns PREPEND primitives- OUTPUT_VARIABLE all)
  list(JOIN all ", " all)
  prim_pc(primitives "${PROJECT_DESCRIPTION}" "${all}" "" "")
endif()
