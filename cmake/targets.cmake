set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Libraries of others that an installed program takes along, and where they are before that.
set(HANDSPAN_BUNDLE ${CMAKE_INSTALL_LIBDIR}/handspan/lib)
set(HANDSPAN_BUNDLED_FOLDERS "${HANDSPAN_SITE}/cmeel.prefix/lib" "${HANDSPAN_SITE}/mujoco" "${HANDSPAN_SITE}/pyarrow")
# an installed program finds them wherever its folder is moved to
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN/../${HANDSPAN_BUNDLE}" "$ORIGIN" "$ORIGIN/handspan/lib")

find_program(CCACHE ccache)
if(CCACHE)
  # what ccache wants for precompiled headers, of which it takes the content for what they are
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Flags of our own code. No -march or AVX: the packaged Pinocchio's Eigen alignment is the baseline's.
add_library(handspan_flags INTERFACE)
target_compile_options(handspan_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  $<$<BOOL:${HANDSPAN_WERROR}>:-Werror>)
# g++ 12 at -O2 and -O3 reports these inside std::string and std::vector where nothing is wrong
target_compile_options(handspan_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized>)

# Most of a compilation is reading headers, and the files of a folder read the same ones: they are compiled in batches.
# What is local to a file has a name of its own in its folder, so that any of them go together; what includes
# Pinocchio goes alone (it sets limits of Boost's headers).
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
# With shared libraries a change relinks one of them and no program.
option(HANDSPAN_SHARED "Shared libraries (preset dev)" OFF)
if(HANDSPAN_SHARED)
  # in a wheel they are in handspan/lib, and what they need beside it (tools/wheel)
  foreach(beside cmeel.prefix/lib mujoco pyarrow)
    list(APPEND CMAKE_INSTALL_RPATH "$ORIGIN/../../${beside}")
  endforeach()
  set(HANDSPAN_LIBRARY_TYPE SHARED)
  set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
else()
  set(HANDSPAN_LIBRARY_TYPE STATIC)
endif()

# handspan_alone(SOURCES...): of those, what includes Pinocchio is compiled alone.
function(handspan_alone)
  foreach(source ${ARGN})
    file(STRINGS "${source}" includes REGEX "^#include [<\"](pinocchio/|robot/model_impl)")
    if(includes)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# The headers of others that most files read, read once. Files still include all that they use: presets tsan and fuzz
# build without these.
set(HANDSPAN_PRECOMPILED
  <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <limits> <map>
  <memory> <numbers> <numeric> <optional> <random> <set> <span> <sstream> <stdexcept> <string> <string_view> <tuple>
  <unordered_map> <utility> <variant> <vector> <Eigen/Cholesky> <Eigen/Core> <Eigen/Eigenvalues> <Eigen/Geometry>
  <Eigen/LU> <Eigen/SVD> <fmt/format.h> <fmt/ranges.h>)

# handspan_precompiled(NAME HEADERS headers... LIBRARIES libraries... OPTIONS options...): one set of precompiled headers,
# for targets whose flags are these; LIBRARIES bring the definitions that those targets have.
file(WRITE "${PROJECT_BINARY_DIR}/precompiled.cpp" "")
function(handspan_precompiled name)
  cmake_parse_arguments(arg "" "" "HEADERS;LIBRARIES;OPTIONS" ${ARGN})
  add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE handspan_flags Eigen3::Eigen fmt::fmt ${arg_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${HANDSPAN_PRECOMPILED} ${arg_HEADERS})
endfunction()

handspan_precompiled(handspan_headers)
# folders that run before and after a run, and never in a tick, are compiled for less time and not for speed
set(HANDSPAN_NOT_HOT -O1)
handspan_precompiled(handspan_headers_not_hot HEADERS <nlohmann/json.hpp> OPTIONS ${HANDSPAN_NOT_HOT})
handspan_precompiled(handspan_headers_scene LIBRARIES tinyxml2::tinyxml2 OPTIONS ${HANDSPAN_NOT_HOT})

# handspan_library(FOLDER [HEADERS set] PUBLIC deps... PRIVATE deps...): the library of src/FOLDER, named by the last part
# of it, compiled as its set of precompiled headers is. A dependency that is one of our own folders is named without
# prefix. Libraries of others are system includes: their warnings are theirs.
function(handspan_library folder)
  cmake_parse_arguments(arg "" "HEADERS" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
  get_filename_component(name "${folder}" NAME)
  if(sources)
    add_library(handspan_${name} ${HANDSPAN_LIBRARY_TYPE} ${sources})
    handspan_alone(${sources})
    set(public PUBLIC)
    set(private PRIVATE)
  else() # headers only
    add_library(handspan_${name} INTERFACE)
    set(public INTERFACE)
    set(private INTERFACE)
  endif()
  add_library(handspan::${name} ALIAS handspan_${name})
  set_target_properties(handspan_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(handspan_${name} ${public}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
    # programs outside include <handspan/FOLDER/NAME.hpp>, and headers one another without that prefix
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/handspan>")
  foreach(scope PUBLIC PRIVATE)
    string(TOLOWER ${scope} keyword)
    foreach(dep ${arg_${scope}})
      if(TARGET handspan_${dep})
        set(dep handspan_${dep})
      endif()
      target_link_libraries(handspan_${name} ${${keyword}} ${dep})
    endforeach()
  endforeach()
  if(sources)
    target_link_libraries(handspan_${name} PRIVATE $<BUILD_INTERFACE:handspan_flags>)
    if(arg_HEADERS)
      target_compile_options(handspan_${name} PRIVATE ${HANDSPAN_NOT_HOT})
    else()
      set(arg_HEADERS handspan_headers)
    endif()
    target_precompile_headers(handspan_${name} REUSE_FROM ${arg_HEADERS})
  endif()
  set_property(GLOBAL APPEND PROPERTY HANDSPAN_LIBRARIES handspan_${name})
endfunction()
