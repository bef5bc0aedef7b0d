// chrome_events.hpp - a list of trace events in JSON, one a line.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "export/export_file.hpp"
#include "graph/commands/text.hpp"

namespace reel::chrome {

// Where an event is drawn. Those of one place nest.
struct Place {
  std::uint64_t pid = 0, tid = 0;
};

// Microseconds to the nanosecond, as JSON: "12.345".
inline std::string microseconds(std::uint64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

class Events {
 public:
  explicit Events(ExportFile& file) : file_(file) {}

  // `arguments`: members of a JSON object, or nothing.
  void slice(const Place& place, std::string_view category, std::string_view name,
             std::uint64_t begin_ns, std::uint64_t end_ns, std::string_view arguments = {}) {
    begin("X", place, name);
    add(R"(,"cat":"{}","ts":{},"dur":{})", category, microseconds(begin_ns),
        microseconds(end_ns - begin_ns));
    end(arguments);
  }
  void counter(std::uint64_t pid, std::string_view name, std::string_view unit,
               std::uint64_t time_ns, std::uint64_t value) {
    begin("C", {pid, 0}, name);
    add(R"(,"ts":{})", microseconds(time_ns));
    end(fmt::format(R"("{}":{})", unit, value));
  }
  void instant(const Place& place, std::string_view name, std::uint64_t time_ns) {
    begin("i", place, name);
    add(R"(,"s":"g","ts":{})", microseconds(time_ns));
    end({});
  }
  // An arrow from the slice that is open at one place to that of another.
  void flow(bool starts, const Place& place, std::uint64_t id, std::uint64_t time_ns) {
    begin(starts ? "s" : "f", place, "ac2g");
    add(R"(,"cat":"ac2g","id":{},"ts":{})", id, microseconds(time_ns));
    if (!starts) line_ += R"(,"bp":"e")";
    end({});
  }
  // "process_name", "thread_name".
  void name(std::string_view what, const Place& place, std::string_view text) {
    begin("M", place, what);
    end(fmt::format(R"("name":{})", json_string(text)));
  }
  void sort_index(std::string_view what, const Place& place, std::uint64_t index) {
    begin("M", place, what);
    end(fmt::format(R"("sort_index":{})", index));
  }

 private:
  template <class... A>
  void add(fmt::format_string<A...> format, A&&... values) {
    fmt::format_to(std::back_inserter(line_), format, std::forward<A>(values)...);
  }
  void begin(std::string_view phase, const Place& place, std::string_view name) {
    line_ = is_first_ ? "\n" : ",\n";
    is_first_ = false;
    add(R"({{"ph":"{}","name":{},"pid":{},"tid":{})", phase, json_string(name), place.pid,
        place.tid);
  }
  void end(std::string_view arguments) {
    if (!arguments.empty()) add(R"(,"args":{{{}}})", arguments);
    line_ += '}';
    file_.write(line_);
  }

  ExportFile& file_;
  std::string line_;
  bool is_first_ = true;
};

}  // namespace reel::chrome
