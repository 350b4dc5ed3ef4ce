# mansuba_add_library(<room>
#   [EXCLUDE file...] [PUBLIC library...] [PRIVATE library...] [INSTALL])
#
# The library of the current source folder: target mansuba_<room>, alias mansuba::<room>, from all *.cpp of the folder
# itself (not of folders below) but the EXCLUDEd. Its headers are header sets based at the root of the repository:
# includes read "core/position.hpp". Each *.hpp must compile alone (target all_verify_interface_header_sets), except
# *_impl.hpp: those are bodies that an interface includes. INSTALL exports and installs the library.
#
# The libraries are static, and some of them are linked into the shared one that C programs use (tablebase/c): hence
# position-independent code. Hidden names keep it as fast as other code, and out of that library's interface.
function(mansuba_add_library room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INSTALL" "" "EXCLUDE;PUBLIC;PRIVATE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mansuba_add_library(${room}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.hpp")
  foreach(file IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  set(bodies ${headers})
  list(FILTER bodies INCLUDE REGEX "_impl\\.hpp$")
  list(FILTER headers EXCLUDE REGEX "_impl\\.hpp$")

  set(target mansuba_${room})
  add_library(${target} ${sources})
  add_library(mansuba::${room} ALIAS ${target})
  target_sources(${target}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers}
    PUBLIC FILE_SET bodies TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${bodies})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${room}
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    VERIFY_INTERFACE_HEADER_SETS ON
    INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  mansuba_set_warnings(${target})

  if(arg_INSTALL)
    install(TARGETS ${target} EXPORT mansuba
      FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mansuba"
      FILE_SET bodies DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mansuba")
  endif()
endfunction()
