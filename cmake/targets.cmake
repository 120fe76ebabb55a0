set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# the installed program finds the libraries of .deps where it was built with them
set(CMAKE_INSTALL_RPATH "${HANDSPAN_SITE}/cmeel.prefix/lib" "${HANDSPAN_SITE}/mujoco" "${HANDSPAN_SITE}/pyarrow")

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

# handspan_library(NAME PUBLIC deps... PRIVATE deps...): the static library of src/NAME. A dependency that is one
# of our own folders is named without prefix. Libraries of others are system includes: their warnings are theirs.
function(handspan_library name)
  cmake_parse_arguments(arg "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  if(sources)
    add_library(handspan_${name} STATIC ${sources})
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
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/handspan>")
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
