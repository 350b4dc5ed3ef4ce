# Fuzzers see into the libraries only if those are instrumented too: so for everything, before any target.
if(MANSUBA_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MANSUBA_BUILD_FUZZERS needs clang (-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()

# mansuba_find_fuzzing_compiler(<variable>): path of a clang++ that can link a fuzzer, or ...-NOTFOUND.
function(mansuba_find_fuzzing_compiler variable)
  find_program(MANSUBA_CLANGXX NAMES clang++ clang++-14)
  mark_as_advanced(MANSUBA_CLANGXX)
  set(${variable} "${variable}-NOTFOUND" PARENT_SCOPE)
  if(NOT MANSUBA_CLANGXX)
    return()
  endif()
  set(probe "${PROJECT_BINARY_DIR}/CMakeFiles/fuzzing_probe")
  file(WRITE "${probe}.cpp"
    "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
  execute_process(
    COMMAND "${MANSUBA_CLANGXX}" -fsanitize=fuzzer,address -fopenmp "${probe}.cpp" -o "${probe}"
    RESULT_VARIABLE failed
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(${variable} "${MANSUBA_CLANGXX}" PARENT_SCOPE)
  endif()
endfunction()
