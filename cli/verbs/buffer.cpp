// buffer.cpp - `reel buffer`: what a buffer held after a command, as far as the document tells.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <reel/buffer_value.hpp>
#include <reel/error.hpp>

#include "cli/showing/command_details.hpp"
#include "cli/showing/npy.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/arguments.hpp"
#include "reel/elements.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

// Large buffers are gone through in steps, so that their size doesn't matter.
constexpr std::uint64_t step_bytes = 16u << 20;

struct Options : TraceOptions {
  std::string buffer, at, as, npy, raw;
  bool stats = false;
  std::uint64_t offset = 0, count = 64;
};

struct View {
  const Trace& trace;
  std::uint32_t buffer;
  std::uint32_t command;  // after it; no_index: there is none
  BufferValue value;
  ElementType type;
  std::uint64_t element_bytes;

  const TraceBuffer& row() const { return trace.buffers()[buffer]; }
};

// One byte for each: is it unknown? For elements that are partly known, too.
class Unknown {
 public:
  Unknown(const std::vector<ByteSpan>& spans) : spans_(spans) {}
  // Asked for rising offsets.
  bool touches(std::uint64_t begin, std::uint64_t end) {
    while (at_ < spans_.size() && spans_[at_].end <= begin) ++at_;
    return at_ < spans_.size() && spans_[at_].begin < end;
  }

 private:
  const std::vector<ByteSpan>& spans_;
  std::size_t at_ = 0;
};

// Every whole element from `first` byte on, in steps; visit(element bytes, is it unknown).
void for_each_element(const View& view, std::uint64_t first, std::uint64_t count,
                      const std::function<void(std::span<const std::byte>, bool)>& visit) {
  const std::uint64_t all = view.value.size_bytes();
  const std::uint64_t room = (all - std::min(first, all)) / view.element_bytes;
  std::uint64_t left = std::min(count, room);
  for (std::uint64_t at = first; left > 0;) {
    const std::uint64_t now = std::min(left, step_bytes / view.element_bytes);
    const auto read = view.value.read(at, now * view.element_bytes);
    Unknown unknown(read.unknown);
    for (std::uint64_t i = 0; i < now; ++i) {
      const std::uint64_t begin = at + i * view.element_bytes;
      visit(std::span(read.bytes).subspan(i * view.element_bytes, view.element_bytes),
            unknown.touches(begin, begin + view.element_bytes));
    }
    at += now * view.element_bytes;
    left -= now;
  }
}

std::string point_text(const View& view) {
  return view.command == no_index ? "at the start" : "after " + command_name(view.command);
}

std::string unknown_text(const View& view) {
  const std::uint64_t unknown = view.value.unknown_bytes();
  if (unknown == 0) return "every byte is known";
  return fmt::format("{} of {} bytes are unknown", unknown, view.value.size_bytes());
}

Json begin_json(const View& view) {
  Json json = json_of(view.trace);
  json["buffer"] = name_of(view.row().id);
  json["label"] = view.row().label;
  json["size_bytes"] = view.value.size_bytes();
  json["after"] = view.command == no_index ? Json() : Json(command_name(view.command));
  json["unknown_bytes"] = view.value.unknown_bytes();
  return json;
}

void print_title(const View& view) {
  if (view.row().kind != BufferKind::buffer) fmt::print("{}  ", printable(memory_text(view.row())));
  fmt::print("{}  {}  {}, {}: {}\n", bold(name_of(view.row().id)), printable(view.row().label),
             size_text(view.value.size_bytes()), point_text(view), unknown_text(view));
}

// JSON has no NaN and no Inf.
Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

int print_statistics(const View& view, const Options& options) {
  Statistics statistics;
  std::uint64_t unknown = 0;
  for_each_element(view, options.offset, ~std::uint64_t{0},
                   [&](std::span<const std::byte> element, bool is_unknown) {
                     if (is_unknown)
                       ++unknown;
                     else
                       statistics.add(element_value(view.type, element));
                   });
  if (options.json) {
    Json json = begin_json(view);
    json["type"] = name_of(view.type);
    json["known_elements"] = statistics.count;
    json["unknown_elements"] = unknown;
    const bool any = statistics.finite() > 0;
    json["min"] = any ? number_json(statistics.min) : Json();
    json["max"] = any ? number_json(statistics.max) : Json();
    json["mean"] = any ? number_json(statistics.mean()) : Json();
    // Of no known element nobody knows how many are NaN.
    const auto known = [&](std::uint64_t count) { return statistics.count ? Json(count) : Json(); };
    json["nan"] = known(statistics.nans);
    json["inf"] = known(statistics.infinities);
    json["zeros"] = known(statistics.zeros);
    print_json(json);
    return done;
  }
  print_title(view);
  fmt::print("{} {} elements known, {} unknown\n", statistics.count, name_of(view.type), unknown);
  if (statistics.count == 0)
    fmt::print("Nothing can be said of their values: the document has none of their bytes.\n");
  if (statistics.finite() > 0)
    fmt::print("min {}  max {}  mean {}\n", statistics.min, statistics.max, statistics.mean());
  if (statistics.count > 0)
    fmt::print("{}NaN {}  Inf {}  zeros {}\n", unknown ? "of those known: " : "", statistics.nans,
               statistics.infinities, statistics.zeros);
  const std::string id = name_of(view.row().id);
  print_next(options,
             {{fmt::format("reel buffer $ {} --as {}", id, name_of(view.type)), "its elements"},
              {fmt::format("reel buffer $ {} --npy {}.npy", id, id), "for NumPy"}});
  return done;
}

int print_elements(const View& view, const Options& options) {
  if (options.json) {
    Json json = begin_json(view);
    json["type"] = name_of(view.type);
    json["offset_bytes"] = options.offset;
    json["elements"] = Json::array();
    for_each_element(view, options.offset, options.count,
                     [&](std::span<const std::byte> element, bool is_unknown) {
                       if (is_unknown)
                         json["elements"].push_back(Json());
                       else if (is_real(view.type))
                         json["elements"].push_back(number_json(element_value(view.type, element)));
                       else if (view.type == ElementType::hex)
                         json["elements"].push_back(element_text(view.type, element));
                       else
                         json["elements"].push_back(Json::parse(element_text(view.type, element)));
                     });
    print_json(json);
    return done;
  }
  print_title(view);
  const std::uint64_t per_line = view.type == ElementType::hex ? 16 : 8;
  std::uint64_t at = 0;
  for_each_element(
      view, options.offset, options.count,
      [&](std::span<const std::byte> element, bool is_unknown) {
        if (at % per_line == 0)
          fmt::print("{}{}", at ? "\n" : "",
                     dim(fmt::format("{:>8}", options.offset + at * view.element_bytes)));
        ++at;
        const std::string text = is_unknown ? (view.type == ElementType::hex ? "??" : "?")
                                            : element_text(view.type, element);
        if (view.type == ElementType::hex)
          fmt::print(" {}", text);
        else
          fmt::print(" {:>12}", text);
      });
  if (at > 0) fmt::print("\n");
  const std::uint64_t all =
      (view.value.size_bytes() - std::min(options.offset, view.value.size_bytes())) /
      view.element_bytes;
  if (at < all) fmt::print("… {} more; --count {} prints all\n", all - at, all);
  const std::string id = name_of(view.row().id);
  print_next(options,
             {{fmt::format("reel buffer $ {} --stats", id), "smallest, largest, mean, NaN"},
              {fmt::format("reel buffer $ {} --npy {}.npy", id, id), "for NumPy"}});
  return done;
}

int write_file(const View& view, const Options& options) {
  const std::string& path = options.npy.empty() ? options.raw : options.npy;
  std::optional<std::string> header = std::string();
  if (!options.npy.empty()) {
    header = npy_header(view.type, view.value.size_bytes() / view.element_bytes);
    if (!header) throw Misuse("NumPy has no type bf16; --as u16 keeps the bits, or use --raw.");
  }
  const std::uint64_t unknown = view.value.unknown_bytes();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << *header;
  const std::uint64_t end = options.npy.empty()
                                ? view.value.size_bytes()
                                : view.value.size_bytes() / view.element_bytes * view.element_bytes;
  std::uint64_t damaged_bytes = 0;
  for (std::uint64_t at = 0; at < end && file; at += step_bytes) {
    const auto read = view.value.read(at, std::min(step_bytes, end - at));
    for (const ByteSpan& span : read.unknown) damaged_bytes += span.end - span.begin;
    file.write(reinterpret_cast<const char*>(read.bytes.data()),
               static_cast<std::streamsize>(read.bytes.size()));
  }
  file.close();
  if (!file) throw Error(Code::io_failed, fmt::format("'{}' can't be written.", path));
  if (options.json) {
    Json json = begin_json(view);
    json["written"] = path;
    json["bytes"] = end;
    print_json(json);
  } else {
    print_title(view);
    fmt::print(
        "{} bytes written to {}{}\n", end, path,
        std::max(unknown, damaged_bytes) > 0 ? "; those that are unknown are zeros there" : "");
  }
  return done;
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  const std::uint32_t buffer = parse_buffer(trace, options.buffer);
  const std::uint32_t command = !options.at.empty() ? parse_command(trace, options.at)
                                : trace.commands().empty()
                                    ? no_index
                                    : static_cast<std::uint32_t>(trace.commands().size() - 1);
  const ElementType type =
      options.as.empty() ? element_in_kernels(trace, buffer, command).value_or(ElementType::f32)
                         : parse_element_type(options.as).value();  // CLI11 let no other by
  const Progress progress("Following " + options.buffer);
  const View view{trace, buffer, command, BufferValue(trace, buffer, command), type, size_of(type)};
  if (!options.npy.empty() || !options.raw.empty()) return write_file(view, options);
  return options.stats ? print_statistics(view, options) : print_elements(view, options);
}

}  // namespace

void add_buffer(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "buffer", "Contents of a buffer after a command", run);
  verb.add_option("buffer", options.buffer, "Its id, or its name").required().type_name("b7");
  verb.add_option("--at", options.at, "After this command; default: after the last")
      .type_name("c12");
  verb.add_option("--as", options.as,
                  "Element type; default: the type in the last kernel that used it, else f32")
      .one_of(element_type_names());
  const Option stats = verb.add_flag("--stats", options.stats,
                                     "Print min, max, mean, and counts of NaN, Inf and zeros");
  const Option npy =
      verb.add_option("--npy", options.npy, "Write a NumPy file").type_name("FILE").excludes(stats);
  verb.add_option("--raw", options.raw, "Write the bytes")
      .type_name("FILE")
      .excludes(stats)
      .excludes(npy);
  verb.add_option("--offset", options.offset, "Start at this byte");
  verb.add_option("--count", options.count, "Print N elements").show_default();
  verb.footer(
      "Bytes that a kernel may have changed since they were last recorded are unknown. They are\n"
      "counted and printed as ?, never guessed.\n\n"
      "Examples:\n"
      "  reel buffer pass.reel b7 --at c12\n"
      "  reel buffer pass.reel b7 --as f16 --stats\n"
      "  reel buffer pass.reel b7 --npy b7.npy");
}

}  // namespace reel::cli
