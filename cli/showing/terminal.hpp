// terminal.hpp - styles and widths, where somebody reads the text on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reel::cli {

// True when standard output is a terminal and NO_COLOR is unset or empty (no-color.org).
bool styles_wanted();

std::string bold(std::string_view text);  // `text` itself where styles aren't wanted
std::string dim(std::string_view text);

// What a text says of itself by its colour.
enum class Tone : unsigned char { plain, good, warning, bad };
std::string toned(Tone tone, std::string_view text);

// How wide the terminal is that standard output is; 0 where it is none, or doesn't tell.
std::size_t terminal_columns();

// Sentences on lines that fit `columns`, broken between words, the lines after the first behind
// `indent` spaces; `first`: so many characters stand before them. As they are where it is 0.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns,
                    std::size_t first);
// The same for the terminal that standard output is, with `indent` spaces before the first line.
std::string wrapped(std::string_view text, std::size_t indent = 0);

// Characters, not bytes: drivers put "®" into names.
std::size_t width_of(std::string_view text);
// At most `width` characters, of which the middle is left out as "…": names differ at both ends.
std::string shortened(std::string_view text, std::size_t width);

// What comes from a document or a driver, on one line that a terminal can't take for orders: '?' in
// place of control characters (those of C1 too, in UTF-8 and as bytes), of what turns the direction
// of text or begins a line, and of bytes that are no UTF-8. Everything that a verb prints of such
// text goes through here, whether it is printed on a terminal or into a file.
std::string printable(std::string_view text);
// The same for text of several lines: keeps line feeds and tabs.
std::string printable_lines(std::string_view text);
// For JSON: the same characters, as \u escapes of the strings they stand in.
std::string printable_json(std::string_view json);

// True when standard output is a terminal.
bool is_shown();

}  // namespace reel::cli
