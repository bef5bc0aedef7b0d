# reel_warnings(target): what our own code is compiled with.
function(reel_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                           $<$<BOOL:${REEL_DEVELOPER_MODE}>:-Werror>)
endfunction()
