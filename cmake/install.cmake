# `cmake --install build/release --prefix DIR`: the library as the CMake package `handspan`, for programs that register
# parts of their own (design 3.10); tests/package is such a program.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY HANDSPAN_LIBRARIES)
add_library(handspan_all INTERFACE)
set_target_properties(handspan_all PROPERTIES EXPORT_NAME handspan)
target_link_libraries(handspan_all INTERFACE handspan_cli)

install(TARGETS ${libraries} handspan_all EXPORT handspanTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS handspan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# what includes Pinocchio or MuJoCo stays inside
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/handspan FILES_MATCHING PATTERN "*.hpp"
  PATTERN "*_impl.hpp" EXCLUDE REGEX "/(robot|scene)/mujoco_[a-z_]*[.]hpp$" EXCLUDE)
install(DIRECTORY robots scenes apps studies DESTINATION ${CMAKE_INSTALL_DATADIR}/handspan)
# the page, when it was built
install(DIRECTORY web/dist DESTINATION ${CMAKE_INSTALL_DATADIR}/handspan/web OPTIONAL)
install(EXPORT handspanTargets NAMESPACE handspan:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/handspan)
configure_package_config_file(cmake/handspanConfig.cmake.in handspanConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/handspan)
write_basic_package_version_file(handspanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/handspanConfig.cmake" "${PROJECT_BINARY_DIR}/handspanConfigVersion.cmake"
  cmake/dependencies.cmake cmake/FindMuJoCo.cmake cmake/FindArrow.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/handspan)
