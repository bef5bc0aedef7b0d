#include "cli/ids.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <reel/error.hpp>
#include <vector>

#include "cli/trace_input.hpp"

namespace reel::cli {
namespace {

constexpr std::size_t listed = 8;

std::optional<std::uint32_t> number_of(std::string_view id, char letter) {
  std::uint32_t number = 0;
  if (id.size() < 2 || id[0] != letter) return std::nullopt;
  const auto [stop, error] = std::from_chars(id.data() + 1, id.data() + id.size(), number);
  if (error != std::errc{} || stop != id.data() + id.size()) return std::nullopt;
  return number;
}

// "k2 'add', k4 'mul'", or the first few of them and the last.
template <class Text>
std::string list_of(const std::vector<std::uint32_t>& indices, const Text& text) {
  std::string list;
  for (std::size_t i = 0; i < indices.size() && i < listed; ++i)
    list += (i ? ", " : "") + text(indices[i]);
  return indices.size() > listed ? fmt::format("{}, … {}", list, text(indices.back())) : list;
}

std::string with_name(const std::string& id, const std::string& name) {
  return name.empty() ? id : fmt::format("{} '{}'", id, name);
}

// The one whose name it is, or of which it is a part.
template <class NameOf, class Text>
std::optional<std::uint32_t> by_name(std::size_t count, const std::string& word, const char* what,
                                     const NameOf& name_of, const Text& text) {
  std::vector<std::uint32_t> whole, part;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string& name = name_of(i);
    if (name == word)
      whole.push_back(i);
    else if (!word.empty() && name.find(word) != std::string::npos)
      part.push_back(i);
  }
  const std::vector<std::uint32_t>& found = whole.empty() ? part : whole;
  if (found.size() > 1)
    throw Error(Code::invalid_argument,
                fmt::format("'{}' is the name{} of {} {}s: {}. Give the id of one.", word,
                            whole.empty() ? ", or a part of the name," : "", found.size(), what,
                            list_of(found, text)));
  return found.empty() ? std::nullopt : std::optional(found.front());
}

template <class Rows, class NameOf>
std::uint32_t find(const Rows& rows, std::optional<std::uint32_t> by_id, const std::string& word,
                   const char* what, const NameOf& name_at) {
  if (by_id) return *by_id;
  const auto text = [&](std::uint32_t i) { return with_name(name_of(rows[i].id), name_at(i)); };
  if (const auto named = by_name(rows.size(), word, what, name_at, text)) return *named;
  if (rows.empty())
    throw Error(Code::invalid_argument,
                fmt::format("There is no {} '{}': the document has none.", what, word));
  std::vector<std::uint32_t> all(rows.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  throw Error(Code::invalid_argument, fmt::format("There is no {} '{}'; the document has {}.", what,
                                                  word, list_of(all, text)));
}

}  // namespace

std::string title_of(const Trace& trace, const TraceWork& work) {
  const std::string& label = trace.text(work.label);
  if (!label.empty() || work.kernel == no_index) return label;
  return trace.kernels()[work.kernel].name;
}

std::uint32_t parse_command(const Trace& trace, const std::string& word) {
  const std::size_t count = trace.commands().size();
  if (const auto number = number_of(word, 'c'); number && *number < count) return *number;
  std::vector<std::uint32_t> found;
  std::vector<bool> fits;  // works; many commands share one
  fits.reserve(trace.works().size());
  for (const TraceWork& work : trace.works())
    fits.push_back(!word.empty() &&
                   (title_of(trace, work) == word || trace.text(work.scope) == word));
  for (std::uint32_t c = 0; c < count; ++c)
    if (fits[trace.commands()[c].work]) found.push_back(c);
  const auto text = [&](std::uint32_t c) { return command_name(c); };
  if (found.size() == 1) return found.front();
  if (!found.empty())
    throw Error(Code::invalid_argument,
                fmt::format("'{}' is the name of {} commands: {}. Give the id of one.", word,
                            found.size(), list_of(found, text)));
  throw Error(Code::invalid_argument,
              count == 0 ? fmt::format("There is no command '{}': the document has none.", word)
                         : fmt::format("There is no command '{}'; the document has c0 to {}.", word,
                                       command_name(count - 1)));
}

std::uint32_t parse_buffer(const Trace& trace, const std::string& word) {
  const auto number = number_of(word, 'b');
  return find(trace.buffers(), number ? trace.find_buffer(BufferId{*number}) : std::nullopt, word,
              "buffer",
              [&](std::uint32_t i) -> const std::string& { return trace.buffers()[i].label; });
}

std::uint32_t parse_kernel(const Trace& trace, const std::string& word) {
  const auto number = number_of(word, 'k');
  return find(trace.kernels(), number ? trace.find_kernel(KernelId{*number}) : std::nullopt, word,
              "kernel",
              [&](std::uint32_t i) -> const std::string& { return trace.kernels()[i].name; });
}

std::uint32_t parse_stream(const Trace& trace, const std::string& word) {
  const auto number = number_of(word, 's');
  return find(trace.streams(), number ? trace.find_stream(StreamId{*number}) : std::nullopt, word,
              "stream",
              [&](std::uint32_t i) -> const std::string& { return trace.streams()[i].label; });
}

CommandRange parse_command_range(const Trace& trace, const std::string& text) {
  const std::size_t dash = text.find('-');
  // A name may have a dash in it; ids don't.
  if (dash == std::string::npos || !number_of(std::string_view(text).substr(0, dash), 'c')) {
    const std::uint32_t one = parse_command(trace, text);
    return {one, one};
  }
  CommandRange range{parse_command(trace, text.substr(0, dash)),
                     static_cast<std::uint32_t>(trace.commands().size() - 1)};
  if (dash + 1 < text.size()) range.last = parse_command(trace, text.substr(dash + 1));
  if (range.last < range.first)
    throw Misuse(fmt::format("The range '{}' ends before it begins.", text));
  return range;
}

}  // namespace reel::cli
