# reel_precompile(target [headers...]): the standard library and fmt, and these headers, are compiled once for
# the target in place of once for each file. Files include what they use all the same: the presets
# tidy and fuzz build without.
# reel_precompile(target REUSE_FROM other): those of a target that is compiled with the same options.
option(REEL_PRECOMPILE "Precompiled headers, which take a fifth off the CPU time of a build" ON)

set(reel_precompiled_headers
    <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
    <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
    <fmt/format.h>)

function(reel_precompile target)
  if(NOT REEL_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    target_link_libraries(${target} PRIVATE fmt::fmt)  # its headers are compiled for the shared library
  else()
    set(headers ${reel_precompiled_headers} ${ARGN})
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
  # -fpch-preprocess: without it ccache can't tell what a precompiled header holds, and compiles anew.
  # Warnings: in a precompiled header g++ 12 forgets which lines are the standard library's, and its optimiser
  # warns of overflows inside std::string that can't be.
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
endfunction()
