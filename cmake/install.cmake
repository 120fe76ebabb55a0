# `cmake --install build/release --prefix DIR`: the library as the CMake package `handspan`, for programs that register
# parts of their own; tests/package is such a program.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY HANDSPAN_LIBRARIES)
add_library(handspan_all INTERFACE)
set_target_properties(handspan_all PROPERTIES EXPORT_NAME handspan)
target_link_libraries(handspan_all INTERFACE handspan_cli)

# The component `runtime` is the program and its data, and can be moved as a whole; `development` is the library.
if(HANDSPAN_SHARED)
  set(with_dependencies RUNTIME_DEPENDENCY_SET bundled)
endif()
install(TARGETS ${libraries} handspan_all EXPORT handspanTargets ${with_dependencies}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(TARGETS handspan RUNTIME_DEPENDENCY_SET bundled RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
# Libraries that tools/setup fetched go along, so that the program does not need .deps. They find one another by
# $ORIGIN/../lib, so their folder is called lib.
install(RUNTIME_DEPENDENCY_SET bundled
  DIRECTORIES ${HANDSPAN_BUNDLED_FOLDERS}
  PRE_EXCLUDE_REGEXES "^ld-linux" "^libc[.]so" "^libm[.]so"
  POST_INCLUDE_REGEXES "/site-packages/"
  POST_EXCLUDE_REGEXES "."
  LIBRARY DESTINATION ${HANDSPAN_BUNDLE} COMPONENT runtime)
# what includes Pinocchio or MuJoCo stays inside
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/handspan COMPONENT development FILES_MATCHING PATTERN "*.hpp"
  PATTERN "*_impl.hpp" EXCLUDE REGEX "/(robot|scene)/mujoco_[a-z_]*[.]hpp$" EXCLUDE)
install(DIRECTORY robots scenes apps studies DESTINATION ${CMAKE_INSTALL_DATADIR}/handspan COMPONENT runtime)
# the page, when it was built
install(DIRECTORY python/handspan_study DESTINATION ${CMAKE_INSTALL_DATADIR}/handspan/python COMPONENT runtime
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY web/dist DESTINATION ${CMAKE_INSTALL_DATADIR}/handspan/web COMPONENT runtime OPTIONAL)
install(EXPORT handspanTargets NAMESPACE handspan:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/handspan
  COMPONENT development)
configure_package_config_file(cmake/handspanConfig.cmake.in handspanConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/handspan)
write_basic_package_version_file(handspanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/handspanConfig.cmake" "${PROJECT_BINARY_DIR}/handspanConfigVersion.cmake"
  cmake/dependencies.cmake cmake/FindMuJoCo.cmake cmake/FindArrow.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/handspan
  COMPONENT development)
