# mansuba_add_test(NAME <name> COMMAND <command...> LABELS <label...>
#   [RANKS <n...>] [TIMEOUT <seconds>] [ENVIRONMENT <VAR=value...>])
#
# One ctest entry, killed after TIMEOUT seconds (default 120). With RANKS, an entry <name>_np<n> for each n that starts
# COMMAND under mpiexec, labelled mpi as well; without MPI these are left out.
# Labels: unit, simd, mpi, hdf5, client (an outside program takes part), long (left out of the default suite).
function(mansuba_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "COMMAND;RANKS;LABELS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_COMMAND OR NOT arg_LABELS)
    message(FATAL_ERROR "mansuba_add_test: NAME, COMMAND and LABELS are needed: ${ARGV}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()

  if(NOT arg_RANKS)
    add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND})
    set_tests_properties(${arg_NAME} PROPERTIES
      LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
  elseif(MANSUBA_WITH_MPI)
    foreach(ranks IN LISTS arg_RANKS)
      set(name ${arg_NAME}_np${ranks})
      add_test(NAME ${name} COMMAND
        "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} ${arg_COMMAND})
      # Leaks inside Open MPI are not ours to report.
      set_tests_properties(${name} PROPERTIES
        LABELS "mpi;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} PROCESSORS ${ranks}
        ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0;${arg_ENVIRONMENT}")
    endforeach()
  endif()
endfunction()

# mansuba_add_gtest(NAME <name> SOURCES <file...> [LIBRARIES <target...>] [RANKS <n...>])
#
# A GoogleTest executable, and one ctest entry for each kind of suite in it, told by how the suite's name begins:
#   Simd...   -> <name>_simd,   label simd
#   Client... -> <name>_client, label client
#   Long...   -> <name>_long,   label long (left out of the default suite)
#   others    -> <name>,        label unit
# One process runs all suites of a kind: much quicker than an entry a test. The sources are read for the kinds, so
# that no entry stands for nothing; an edited test file therefore configures anew.
function(mansuba_add_gtest)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LIBRARIES;RANKS")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  target_compile_definitions(${arg_NAME} PRIVATE
    MANSUBA_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    MANSUBA_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data"
    MANSUBA_PROGRAM="$<TARGET_FILE:mansuba>")
  add_dependencies(${arg_NAME} mansuba)
  mansuba_set_warnings(${arg_NAME})

  set(kinds "")
  foreach(source IN LISTS arg_SOURCES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" lines REGEX "^(TYPED_)?TEST(_F|_P|_SUITE_P)?\\(")
    foreach(line IN LISTS lines)
      if(line MATCHES "\\( *(Simd|Client|Long)")
        list(APPEND kinds ${CMAKE_MATCH_1})
      else()
        list(APPEND kinds Unit)
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES kinds)

  set(timeout_Unit 600)
  set(timeout_Simd 600)
  set(timeout_Client 600)
  set(timeout_Long 7200)
  foreach(kind IN LISTS kinds)
    string(TOLOWER ${kind} label)
    if(kind STREQUAL "Unit")
      set(entry ${arg_NAME})
      set(filter "-")
      foreach(other IN ITEMS Simd Client Long)
        string(APPEND filter "${other}*:*/${other}*.*:")
      endforeach()
    else()
      set(entry ${arg_NAME}_${label})
      # The second pattern is for the instances of value-parametrised suites: Instance/LongSuite.Test/0.
      set(filter "${kind}*:*/${kind}*.*")
    endif()
    mansuba_add_test(NAME ${entry}
      COMMAND ${arg_NAME} --gtest_brief=1 "--gtest_filter=${filter}"
      RANKS ${arg_RANKS}
      LABELS ${label}
      TIMEOUT ${timeout_${kind}})
  endforeach()
endfunction()
