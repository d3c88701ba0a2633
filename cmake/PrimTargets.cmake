# How a target of the kit is built: language levels, warnings, sanitizers, and kernels that are
# CUDA under nvcc and C++ on the CPU backend.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

if(PRIM_SANITIZE STREQUAL address)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    add_link_options(-static-libasan) # each switch of fibers calls it, faster without a detour
  endif()
elseif(PRIM_SANITIZE STREQUAL thread)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(PRIM_SANITIZE STREQUAL explore)
  # The accesses are seen as for ThreadSanitizer, but by simt/explore: nothing is linked.
  add_compile_options(-fsanitize=thread)
elseif(PRIM_SANITIZE)
  message(FATAL_ERROR "PRIM_SANITIZE is ${PRIM_SANITIZE}, not address, thread or explore")
endif()

if(PRIM_OPENMP)
  find_package(OpenMP COMPONENTS CXX)
endif()

# prim_configure(target): what every target of this project gets.
function(prim_configure target)
  # A product is rounded before it is added, on the host as on the GPU.
  set(host_flags -fvisibility=hidden -ffp-contract=off)
  # Users get no warnings: at another level of optimization, some compiler finds some that are wrong.
  set(warnings -w)
  set(c_warnings)
  if(PRIM_WERROR)
    set(warnings -Wall -Wextra -Wno-unknown-pragmas -Werror) # without OpenMP, its pragmas are unknown
    set(c_warnings -Wpedantic)
  endif()
  string(REPLACE ";" "," nvcc_host_flags "${host_flags};${warnings}")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:${host_flags};${warnings};${c_warnings}>
    # A third of the bytes: kernels for many types are much alike.
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${nvcc_host_flags};--compress-mode=size>)
  if(PRIM_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  if(PRIM_BACKEND STREQUAL cpu)
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
  endif()
endfunction()

# The CUDA runtime, or the CPU backend in its place. A shared library and the program share one.
if(PRIM_BACKEND STREQUAL cpu)
  set(PRIM_RUNTIME simt)
elseif(BUILD_SHARED_LIBS)
  set(PRIM_RUNTIME CUDA::cudart)
else()
  set(PRIM_RUNTIME CUDA::cudart_static)
endif()

# prim_shared(target): before 1.0, each minor version may break what is linked to the one before.
function(prim_shared target)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_options(${target} PRIVATE LINKER:--no-undefined)
endfunction()

# prim_library(name sources…): the static library primitives::name, or its part of the shared one.
function(prim_library name)
  if(BUILD_SHARED_LIBS)
    add_library(prim_${name} OBJECT ${ARGN})
    # Where calls are defined. All else is compiled as for the static libraries, so that ccache has it.
    set(calls ${ARGN})
    list(FILTER calls INCLUDE REGEX "(\\.c|/host\\.cu)$")
    set_source_files_properties(${calls} PROPERTIES COMPILE_DEFINITIONS PRIM_EXPORT)
  else()
    add_library(prim_${name} STATIC ${ARGN})
    add_library(primitives::${name} ALIAS prim_${name})
  endif()
  prim_configure(prim_${name})
  set_target_properties(prim_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
    OUTPUT_NAME primitives_${name} EXPORT_NAME ${name})
  target_include_directories(prim_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # A C project that links the static library has no C++ linker to add these.
  target_link_libraries(prim_${name} PUBLIC ${PRIM_RUNTIME} PRIVATE stdc++ m)
  if(NOT name STREQUAL common)
    target_link_libraries(prim_${name} PUBLIC prim_common)
  endif()
endfunction()

# prim_pattern(name sources…): such a library, and a part of primitives::primitives.
function(prim_pattern name)
  prim_library(${name} ${ARGN})
  if(NOT name STREQUAL common)
    set_property(GLOBAL APPEND PROPERTY PRIM_PATTERNS ${name})
  endif()
endfunction()

# prim_use_openmp(target sources…): compiles these files of the target with OpenMP, where it is.
function(prim_use_openmp target)
  if(NOT OpenMP_CXX_FOUND)
    return()
  endif()
  if(PRIM_BACKEND STREQUAL cuda)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -Xcompiler=${OpenMP_CXX_FLAGS})
  else()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS ${OpenMP_CXX_FLAGS})
  endif()
  # Installed, by name: where this compiler keeps it says nothing about another machine.
  target_link_libraries(${target} PRIVATE
    "$<BUILD_INTERFACE:${OpenMP_CXX_LIBRARIES}>$<INSTALL_INTERFACE:${OpenMP_CXX_LIB_NAMES}>")
endfunction()

# prim_add_test(name command…): on a GPU, tests take turns, whatever ctest's -j says.
function(prim_add_test name)
  add_test(NAME ${name} COMMAND ${ARGN})
  if(PRIM_BACKEND STREQUAL cuda)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK gpu)
  endif()
endfunction()

# prim_plain_test_program(name sources…): the same tests without Criterion, in few processes.
function(prim_plain_test_program name)
  add_executable(${name} ${ARGN} ${PROJECT_SOURCE_DIR}/tests/plain/main.c)
  prim_configure(${name})
  target_include_directories(${name} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/tests/plain
    ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${PRIM_RUNTIME})
endfunction()

# prim_test_program(name sources…): a program of tests, which ctest does not know yet.
function(prim_test_program name)
  if(NOT PRIM_CRITERION)
    prim_plain_test_program(${name} ${ARGN})
    return()
  endif()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)
  add_executable(${name} ${ARGN})
  prim_configure(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${PRIM_RUNTIME} PkgConfig::CRITERION)
endfunction()

# prim_test(name sources…): such a program. On the CPU backend it runs in three thread orders:
# shuffled as a device of 9.0, forward as one of 7.5, and in reverse as what SIMT_DEVICE says, which
# scripts/run-ctest.sh sets. Those of PRIM_TESTS_NOT_SHUFFLED run in the latter two, since what they
# ask depends on the device. Under ThreadSanitizer there is a program only, which is built when it is
# asked for: scripts/barriers.sh runs single tests of it.
function(prim_test name)
  prim_test_program(${name} ${ARGN})
  if(PRIM_SANITIZE STREQUAL thread)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  elseif(PRIM_BACKEND STREQUAL cpu)
    set(orders forward reverse shuffle:1)
    if(name IN_LIST PRIM_TESTS_NOT_SHUFFLED)
      list(REMOVE_ITEM orders shuffle:1)
    endif()
    set(device_forward ";SIMT_DEVICE=7.5")
    set(device_shuffle:1 ";SIMT_DEVICE=9.0")
    foreach(order IN LISTS orders)
      string(REPLACE ":" "-" suffix ${order})
      prim_add_test(${name}.${suffix} ${name} --verbose --timeout 600)
      set_tests_properties(${name}.${suffix} PROPERTIES
        ENVIRONMENT "SIMT_ORDER=${order};SIMT_BARRIERS=strict${device_${order}}")
      # scripts/test.sh leaves these out of quicker levels.
      if(name IN_LIST PRIM_TESTS_NOT_SHUFFLED)
        if(order STREQUAL "forward")
          set_tests_properties(${name}.${suffix} PROPERTIES LABELS older_device)
        endif()
      elseif(NOT order STREQUAL "shuffle:1")
        set_tests_properties(${name}.${suffix} PROPERTIES LABELS ${order})
      endif()
    endforeach()
  else()
    # Each job has a CUDA context of its own, and memory for it.
    prim_add_test(${name} ${name} --verbose --timeout 600 --jobs 4)
  endif()
endfunction()

# prim_test_deferred(name seeds…): the CPU backend runs this program with streams that defer their
# work, too, on as many devices as it can.
function(prim_test_deferred name)
  if(NOT PRIM_BACKEND STREQUAL cpu)
    return()
  endif()
  foreach(seed IN LISTS ARGN)
    set(test ${name}.deferred-${seed})
    string(REGEX REPLACE "-1$" "" test ${test})
    prim_add_test(${test} ${name} --verbose --timeout 600)
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT "SIMT_STREAMS=deferred:${seed};SIMT_DEVICES=8;SIMT_ORDER=reverse;SIMT_BARRIERS=strict;SIMT_DEVICE=9.0")
  endforeach()
endfunction()

# prim_test_async(name filter [times…]): those tests with asynchronous work that is done late, or at
# some time; without times, once each.
function(prim_test_async name filter)
  if(NOT PRIM_BACKEND STREQUAL cpu OR PRIM_SANITIZE STREQUAL thread)
    return()
  endif()
  set(times ${ARGN})
  if(NOT times)
    set(times late drawn:1)
  endif()
  foreach(time IN LISTS times)
    string(REPLACE ":" "-" suffix ${time})
    prim_add_test(${name}.${suffix} ${name} --verbose --timeout 600 --filter "${filter}")
    set_tests_properties(${name}.${suffix} PROPERTIES
      ENVIRONMENT "SIMT_ASYNC=${time};SIMT_ORDER=reverse;SIMT_BARRIERS=strict;SIMT_DEVICE=9.0")
  endforeach()
endfunction()

# prim_test_on_devices(name settings…): the CPU backend gives this program as many devices as it can,
# with these settings.
function(prim_test_on_devices name)
  if(PRIM_BACKEND STREQUAL cpu)
    get_property(tests DIRECTORY PROPERTY TESTS)
    list(FILTER tests INCLUDE REGEX "^${name}\\.(forward|reverse|shuffle-1)$")
    set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT SIMT_DEVICES=8 ${ARGN})
  endif()
endfunction()
