# mansuba_set_warnings(<target>)
# The warnings of our own sources; CMAKE_COMPILE_WARNING_AS_ERROR (preset dev) makes them errors.
function(mansuba_set_warnings target)
  # Squares are int and index tables: clang, unlike g++, counts signedness among conversions.
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
endfunction()
