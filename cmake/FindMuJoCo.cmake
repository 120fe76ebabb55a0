# MuJoCo as its Python wheel ships it: headers and a versioned library without a CMake package.
find_path(MuJoCo_INCLUDE_DIR mujoco/mujoco.h HINTS ${HANDSPAN_SITE} PATH_SUFFIXES mujoco/include)
file(GLOB MuJoCo_LIBRARY "${MuJoCo_INCLUDE_DIR}/../libmujoco.so*")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo REQUIRED_VARS MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR)
if(MuJoCo_FOUND AND NOT TARGET mujoco::mujoco)
  add_library(mujoco::mujoco SHARED IMPORTED)
  set_target_properties(mujoco::mujoco PROPERTIES
    IMPORTED_LOCATION "${MuJoCo_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${MuJoCo_INCLUDE_DIR}")
endif()
