# reel_warnings(target): what our own code is compiled with.
function(reel_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
                                           # g++ 12 warns of overlaps inside std::string that can't be (GCC bug 105651)
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                                           $<$<BOOL:${REEL_WARNINGS_AS_ERRORS}>:-Werror>)
  # With its sanitizers g++ 12 takes parts of std::regex for uninitialized (GCC bug 105562).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
endfunction()
