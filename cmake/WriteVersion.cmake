# Script: cmake -D MANSUBA_{VERSION,COMPILER,BUILD_TYPE,SOURCE_DIR,HEADER}=... -P WriteVersion.cmake
# Writes the header only if its text changes, so that a build with the same commit compiles nothing anew.
set(MANSUBA_COMMIT "")
find_package(Git QUIET)
# Without the first test, sources unpacked inside another project's checkout would get its commit.
if(EXISTS "${MANSUBA_SOURCE_DIR}/.git" AND GIT_FOUND)
  execute_process(
    COMMAND "${GIT_EXECUTABLE}" --no-optional-locks describe --always --dirty
    WORKING_DIRECTORY "${MANSUBA_SOURCE_DIR}"
    OUTPUT_VARIABLE MANSUBA_COMMIT
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
endif()
if(MANSUBA_COMMIT STREQUAL "")
  set(MANSUBA_COMMIT "unknown")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.hpp.in" "${MANSUBA_HEADER}" @ONLY)
