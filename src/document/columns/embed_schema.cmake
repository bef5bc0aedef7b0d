# embed_schema.cmake - INPUT (a .bfbs file) as the C++ source OUTPUT.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made from schema.fbs.
#include \"document/columns/embedded_schema.hpp\"

namespace reel::document {

std::span<const std::byte> embedded_schema() {
  static constexpr unsigned char bytes[] = {${bytes}};
  return std::as_bytes(std::span(bytes));
}

}  // namespace reel::document
")
