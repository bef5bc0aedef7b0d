# reel_warnings(target): what our own code is compiled with.
function(reel_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
            # g++ 12 sees overlapping copies in `"text" + std::string` at -O3 where there are none
            # (GCC bug 105651, fixed in 13).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<BOOL:${REEL_DEVELOPER_MODE}>:-Werror>)
endfunction()
