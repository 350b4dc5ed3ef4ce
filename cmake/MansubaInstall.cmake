# find_package(mansuba) and pkg-config for those who use the libraries; the program is installed by its own folder.
include(CMakePackageConfigHelpers)
set(mansuba_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mansuba")
set(mansuba_pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Two sets of targets, since the static libraries need packages that who links the shared one need not have.
install(EXPORT mansuba_probe NAMESPACE mansuba:: FILE mansubaProbeTargets.cmake DESTINATION "${mansuba_package_dir}")
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

# The prefix is found from where the file stands, as `cmake --install --prefix` may choose another than was configured.
file(RELATIVE_PATH mansuba_prefix_from_pc "/${mansuba_pkgconfig_dir}" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/mansuba.pc.in" "${PROJECT_BINARY_DIR}/mansuba.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/mansuba.pc" DESTINATION "${mansuba_pkgconfig_dir}")
