# find_package(mansuba) for those who use the libraries; the program is installed by its own folder.
include(CMakePackageConfigHelpers)
set(mansuba_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mansuba")

install(EXPORT mansuba NAMESPACE mansuba:: FILE mansubaTargets.cmake DESTINATION "${mansuba_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mansubaConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${PROJECT_SOURCE_DIR}/cmake/mansubaConfig.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindxxHash.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/Findlibdeflate.cmake"
    "${PROJECT_BINARY_DIR}/mansubaConfigVersion.cmake"
  DESTINATION "${mansuba_package_dir}")
