# mansuba::version: the generated header "mansuba/version.hpp". Each build asks git again, and only files that include
# the header are compiled anew when the answer changes: keep those few.
set(mansuba_version_dir "${PROJECT_BINARY_DIR}/generated")
set(mansuba_version_header "${mansuba_version_dir}/mansuba/version.hpp")
set(mansuba_write_version
  "${CMAKE_COMMAND}"
  -D "MANSUBA_VERSION=${PROJECT_VERSION}"
  -D "MANSUBA_COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  -D "MANSUBA_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
  -D "MANSUBA_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  -D "MANSUBA_HEADER=${mansuba_version_header}"
  -P "${PROJECT_SOURCE_DIR}/cmake/WriteVersion.cmake")

# Once at configure time too, for editors and tools that read a tree that was never built.
execute_process(COMMAND ${mansuba_write_version} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(mansuba_version_header
  COMMAND ${mansuba_write_version}
  BYPRODUCTS "${mansuba_version_header}"
  VERBATIM)

add_library(mansuba_version INTERFACE)
add_library(mansuba::version ALIAS mansuba_version)
add_dependencies(mansuba_version mansuba_version_header)
target_include_directories(mansuba_version INTERFACE "$<BUILD_INTERFACE:${mansuba_version_dir}>")
