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
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Flags of our own code. No -march or AVX: the packaged Pinocchio's Eigen alignment is the baseline's.
add_library(handspan_flags INTERFACE)
target_compile_options(handspan_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off
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
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# handspan_library(FOLDER PUBLIC deps... PRIVATE deps...): the library of src/FOLDER, named by the last part of it. A
# dependency that is one of our own folders is named without prefix. Libraries of others are system includes: their warnings are theirs.
function(handspan_library folder)
  cmake_parse_arguments(arg "" "" "PUBLIC;PRIVATE" ${ARGN})
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
  endif()
  set_property(GLOBAL APPEND PROPERTY HANDSPAN_LIBRARIES handspan_${name})
endfunction()
