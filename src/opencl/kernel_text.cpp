#include "opencl/kernel_text.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "opencl/words.hpp"

namespace reel {

namespace {

using Words = std::vector<std::string_view>;

// A declaration outside of all braces, or a line of the preprocessor.
struct Piece {
  std::size_t at = 0;  // of its first word; a line of the preprocessor stands before the word
  Words words;
  Words names = {};        // that it defines
  bool is_wanted = false;  // from the start, whether or not somebody uses its names
};

bool is_name(std::string_view word) { return is_opencl_name(word); }

// Names before "=", "[", ",", "(" or ";" and behind "struct": what declares anything has one there.
// Within braces only those of an enum count.
Words names_of(const Words& words) {
  Words names;
  const bool is_enum = std::ranges::find(words, "enum") != words.end();
  int braces = 0, parentheses = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i], next = i + 1 < words.size() ? words[i + 1] : ";";
    if (word == "__attribute__" && next == "(") {
      const std::size_t end = after_closing(words, i + 1, "(", ")");
      if (end == std::string_view::npos) return {};
      i = end - 1;
      continue;
    }
    const bool is_outside = braces == 0 && parentheses == 0;
    braces += word == "{";
    braces -= word == "}";
    parentheses += word == "(";
    parentheses -= word == ")";
    static constexpr std::string_view before_attributes[] = {"kernel", "__kernel", "inline",
                                                             "static", "void"};
    if (!is_name(word) || std::ranges::find(before_attributes, word) != std::end(before_attributes))
      continue;
    const bool is_tag =
        i > 0 && (words[i - 1] == "struct" || words[i - 1] == "union" || words[i - 1] == "enum");
    const bool ends_declarator = next == "=" || next == "[" || next == "," || next == "(" ||
                                 next == ";" || next == "__attribute__";
    if ((is_outside && (is_tag || ends_declarator)) || (is_enum && braces > 0))
      names.push_back(word);
  }
  return names;
}

// Cuts words into declarations. False: braces don't match.
bool cut(const Words& words, std::vector<Piece>& pieces) {
  Piece piece;
  int depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (piece.words.empty()) piece.at = i;
    piece.words.push_back(word);
    depth += word == "{" || word == "(" || word == "[";
    depth -= word == "}" || word == ")" || word == "]";
    if (depth < 0) return false;
    if (depth > 0 || (word != "}" && word != ";")) continue;
    // Behind the braces of a type or of values the declaration goes on to its semicolon.
    static constexpr std::string_view types[] = {"typedef", "struct", "union", "enum"};
    const std::string_view first = piece.words.front();
    const bool has_value =
        std::ranges::find(piece.words, "=") < std::ranges::find(piece.words, "{");
    const bool goes_on =
        word == "}" && i + 1 < words.size() &&
        (words[i + 1] == ";" || has_value ||
         (std::ranges::find(types, first) != std::end(types) &&
          std::ranges::find(piece.words, "(") > std::ranges::find(piece.words, "{")));
    if (goes_on) continue;
    piece.names = names_of(piece.words);
    piece.is_wanted = piece.names.empty();
    pieces.push_back(std::move(piece));
    piece = {};
  }
  return depth == 0 && piece.words.empty();
}

bool has_pasting(const Words& words) {
  return std::ranges::adjacent_find(words, [](std::string_view a, std::string_view b) {
           return a == "#" && b == "#";
         }) != words.end();
}

bool is_condition(std::string_view directive) {
  return directive.starts_with("if") || directive == "else" || directive == "elif" ||
         directive == "endif";
}

// Every #if that begins in this declaration ends in it.
bool has_whole_conditions(const std::vector<const OpenclDirective*>& inside) {
  int open = 0;
  for (const OpenclDirective* directive : inside) {
    const std::string_view what = directive->words[0];
    if (is_condition(what) && open == 0 && !what.starts_with("if")) return false;
    open += what.starts_with("if") ? 1 : what == "endif" ? -1 : 0;
  }
  return open == 0;
}

// Lines of the preprocessor become pieces. A macro is wanted by who uses its name, a line within a
// declaration together with that, all others by everybody. False: macros paste names together.
bool add_directives(const std::vector<OpenclDirective>& directives, std::vector<Piece>& pieces) {
  std::vector<Piece> lines;
  std::size_t next = 0;
  const auto line_of = [](const OpenclDirective& directive) {
    Piece line{.at = directive.before_word, .words = {"#"}};
    line.words.insert(line.words.end(), directive.words.begin(), directive.words.end());
    const std::string_view what = directive.words[0];
    if ((what == "define" || what == "undef") && directive.words.size() > 1)
      line.names = {directive.words[1]};
    line.is_wanted = line.names.empty();
    return line;
  };
  for (Piece& piece : pieces) {
    for (; next < directives.size() && directives[next].before_word <= piece.at; ++next)
      if (!directives[next].words.empty()) lines.push_back(line_of(directives[next]));
    std::vector<const OpenclDirective*> inside;
    for (; next < directives.size() && directives[next].before_word < piece.at + piece.words.size();
         ++next)
      if (!directives[next].words.empty()) inside.push_back(&directives[next]);
    const bool is_whole = has_whole_conditions(inside);
    piece.is_wanted = piece.is_wanted || !is_whole;
    for (const OpenclDirective* directive : inside) {
      Piece line = line_of(*directive);
      if (is_whole && line.is_wanted) {
        line.names = piece.names;
        line.is_wanted = piece.is_wanted;
      }
      lines.push_back(std::move(line));
    }
  }
  for (; next < directives.size(); ++next)
    if (!directives[next].words.empty()) lines.push_back(line_of(directives[next]));
  if (std::ranges::any_of(lines, has_pasting, &Piece::words)) return false;
  pieces.insert(pieces.begin(), lines.begin(), lines.end());
  std::ranges::stable_sort(pieces, {}, &Piece::at);
  return true;
}

std::string joined(const std::vector<const Words*>& list) {
  std::string text;
  for (const Words* words : list) {
    for (const std::string_view word : *words) {
      text += word;
      text += ' ';
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string opencl_kernel_text(std::string_view text, std::string_view kernel) {
  const std::string lines = joined_lines(text);
  std::vector<OpenclDirective> directives;
  const Words words = opencl_words(lines, directives);
  const auto everything = [&] {
    std::vector<const Words*> all{&words};
    for (const OpenclDirective& directive : directives) all.push_back(&directive.words);
    return joined(all);
  };
  std::vector<Piece> pieces;
  if (!cut(words, pieces)) return everything();
  const auto defines_kernel = [&](const Piece& piece) {
    return piece.words.back() == "}" && std::ranges::find(piece.names, kernel) != piece.names.end();
  };
  if (std::ranges::none_of(pieces, defines_kernel)) return everything();
  if (!add_directives(directives, pieces)) return everything();

  std::set<std::string_view> used{kernel};
  std::vector<bool> is_taken(pieces.size(), false);
  const auto take = [&](std::size_t i) {
    is_taken[i] = true;
    for (const std::string_view word : pieces[i].words)
      if (is_name(word)) used.insert(word);
  };
  // What is found uses more names, until none is new.
  for (std::size_t before = 0; before != used.size() + 1;) {
    before = used.size() + 1;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (!is_taken[i] &&
          (pieces[i].is_wanted || std::ranges::any_of(pieces[i].names, [&](std::string_view name) {
             return used.contains(name);
           })))
        take(i);
  }
  std::vector<const Words*> list;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (is_taken[i]) list.push_back(&pieces[i].words);
  return joined(list);
}

}  // namespace reel
