# embed_kernels.cmake - turns kernels/<name>.cl and .comp into one C++ file.
#
#   cmake -DFOLDER=kernels -DNAMES=a,b -DOUTPUT=embedded.cpp -P embed_kernels.cmake
#
# `#include "file"` is replaced by that file: a driver's compiler has no folder to look in.

function(read_source path result)
  file(READ "${path}" text)
  while(text MATCHES "#include \"([^\"]+)\"")
    set(line "${CMAKE_MATCH_0}")
    file(READ "${FOLDER}/${CMAKE_MATCH_1}" included)
    string(REPLACE "${line}" "${included}" text "${text}")
  endwhile()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(entries "")
string(REPLACE "," ";" names "${NAMES}")
foreach(name IN LISTS names)
  read_source("${FOLDER}/${name}.cl" opencl_c)
  read_source("${FOLDER}/${name}.comp" glsl)
  string(APPEND entries "    {\"${name}\", R\"kernel(${opencl_c})kernel\",\n"
                        "     R\"kernel(${glsl})kernel\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from ops/kernels; do not edit.
#include \"ops/embedded.hpp\"

#include <string>

#include \"reel/error.hpp\"

namespace reel::ops {
namespace {

constexpr EmbeddedKernel kernels[] = {
${entries}};

}  // namespace

const EmbeddedKernel& embedded_kernel(std::string_view name) {
  for (const EmbeddedKernel& kernel : kernels)
    if (kernel.name == name) return kernel;
  throw Error(Code::invalid_argument, \"No kernel '\" + std::string(name) + \"' is embedded.\");
}

}  // namespace reel::ops
")
