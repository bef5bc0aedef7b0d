# embed_texts.cmake - texts as the C++ source OUTPUT. TEXTS: name=path, separated by commas.
set(functions "")
string(REPLACE "," ";" TEXTS "${TEXTS}")
foreach(text IN LISTS TEXTS)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${text}")
  set(name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND functions "std::string_view ${name}() {
  static constexpr char bytes[] = {${bytes}};
  return {bytes, sizeof(bytes)};
}

")
endforeach()
file(WRITE ${OUTPUT} "// Made by embed_texts.cmake.
#include \"cli/embedded_texts.hpp\"

namespace reel::cli::embedded {

${functions}}  // namespace reel::cli::embedded
")
