# embed_page.cmake - SCRIPT and STYLE (page.js, page.css) as the C++ source OUTPUT.

# bytes_of(file end out): its bytes for C++. In an HTML file it stands between tags: what would end it, or hide its
# end, can't be in it.
function(bytes_of file end out)
  file(READ ${file} text)
  string(TOLOWER "${text}" text)
  foreach(bad "</${end}" "<!--")
    string(FIND "${text}" "${bad}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} has '${bad}' in it, which ends it early in an HTML file; write it in another way.")
    endif()
  endforeach()
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

# hash_of(file out): its SHA-256, by which a content security policy allows it.
function(hash_of file out)
  file(SHA256 ${file} hash)
  string(REGEX REPLACE "(..)" "0x\\1," hash "${hash}")
  set(${out} "${hash}" PARENT_SCOPE)
endfunction()

bytes_of(${SCRIPT} script script)
bytes_of(${STYLE} style style)
hash_of(${SCRIPT} script_hash)
hash_of(${STYLE} style_hash)
file(WRITE ${OUTPUT} "// Made from page.js and page.css.
#include \"page/embedded_page.hpp\"

namespace reel::page {
namespace {

// The zero at the end is not part of it: an empty array is no C++.
constexpr unsigned char script[] = {${script}0};
constexpr unsigned char style[] = {${style}0};
constexpr unsigned char script_hash[] = {${script_hash}};
constexpr unsigned char style_hash[] = {${style_hash}};

std::string_view text_of(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

const EmbeddedPage* embedded_page() noexcept {
  static const EmbeddedPage page{text_of(script, sizeof(script) - 1), text_of(style, sizeof(style) - 1),
                                 text_of(script_hash, sizeof(script_hash)),
                                 text_of(style_hash, sizeof(style_hash))};
  return &page;
}

}  // namespace reel::page
")
