#include <fmt/format.h>

#include <array>
#include <iterator>
#include <limits>
#include <set>

#include "export/programs/program_names.hpp"
#include "export/programs/program_text.hpp"
#include "export/programs/program_values.hpp"

namespace reel::program {
namespace {

constexpr const char* load_function = R"(
// A file of this program's folder.
std::vector<char> load(const std::string& name) {
  std::ifstream file(std::string(PROGRAM_FOLDER "/") + name, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("Can't read " + name + " in " PROGRAM_FOLDER ".");
  return bytes;
}
)";

constexpr const char* text_function = R"(
std::string text(const std::string& name) {
  const std::vector<char> bytes = load(name);
  return {bytes.begin(), bytes.end()};
}
)";

constexpr const char* words_function = R"(
std::vector<std::uint32_t> words(const std::string& name) {
  const std::vector<char> bytes = load(name);
  std::vector<std::uint32_t> result(bytes.size() / 4);
  std::memcpy(result.data(), bytes.data(), result.size() * 4);
  return result;
}
)";

constexpr const char* timed_function = R"(
// Prints how long the work took as the host sees it: from the call until the stream is done.
template <class Work>
void timed(const reel::Stream& stream, const char* name, Work&& work) {
  stream.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  work();
  stream.synchronize();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  std::printf("%-32s %10.1f us\n", name, time.count());
}
)";

constexpr const char* is_equal_function = R"(
// Compares bytes on the device with those that were recorded, and says what it finds.
bool is_equal(const reel::Stream& stream, const char* name, reel::BufferRange range,
              const std::string& expected_file) {
  const std::vector<char> expected = load(expected_file);
  const std::vector<char> found = stream.read_now<char>(range);
  if (found.size() != expected.size())
    throw std::runtime_error(expected_file + " has " + std::to_string(expected.size()) +
                             " bytes, not " + std::to_string(found.size()) + ".");
  const auto [here, recorded] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (here == found.end()) {
    std::printf("%-32s equal, %zu bytes\n", name, found.size());
    return true;
  }
  std::printf("%-32s differs first at byte %td: 0x%02x, recorded 0x%02x\n", name,
              here - found.begin(), static_cast<unsigned char>(*here),
              static_cast<unsigned char>(*recorded));
  return false;
}
)";

constexpr std::array functions_in_order{load_function, text_function, words_function,
                                        timed_function, is_equal_function};

constexpr const char* cmake_text = R"(cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)

find_package(reel REQUIRED)
add_executable(program main.cpp)
target_compile_definitions(program PRIVATE PROGRAM_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(program PRIVATE reel::reel)
)";

std::string number(std::uint64_t value) {
  return fmt::format("{}{}", value,
                     value > std::uint64_t{std::numeric_limits<std::int64_t>::max()} ? "u" : "");
}

std::string dim(const Dim3& d) {
  if (d.z != 1) return fmt::format("{{{}, {}, {}}}", d.x, d.y, d.z);
  if (d.y != 1) return fmt::format("{{{}, {}}}", d.x, d.y);
  return fmt::format("{{{}}}", d.x);
}

class CppProgram {
 public:
  explicit CppProgram(const ProgramPlan& plan) : plan_(plan), trace_(plan.trace) {}

  // The body comes first: what it uses decides on the headers and functions above it.
  std::string text() {
    buffers();
    inputs();
    kernels();
    commands();
    checks();
    const std::string body = std::move(text_);
    text_.clear();
    head(body);
    for (const char* function : functions_in_order)
      if (used_.contains(function)) text_ += function;
    line("\nint run(const char* selector) {{");
    text_ += body;
    line("}}\n\n}}  // namespace\n");
    line("int main(int argc, char** argv) {{");
    line("  try {{");
    line(R"(    return run(argc > 1 ? argv[1] : "{}");)", plan_.backends[0]);
    line("  }} catch (const std::exception& error) {{");
    line(R"(    std::fprintf(stderr, "%s\n", error.what());)");
    line("    return 2;\n  }}\n}}");
    return std::move(text_);
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> format, A&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<A>(values)...);
    text_ += '\n';
  }

  void head(const std::string& body) {
    // A header too many, should a label look like its use, does no harm.
    const auto uses = [&](const char* word) { return body.find(word) != std::string::npos; };
    const auto calls = [&](const char* function) { return used_.contains(function); };
    line("// {}.", origin(plan_));
    line("//");
    line("//   program [device]   for one of: {}", fmt::join(plan_.backends, ", "));
    line("//");
    line("// Exit code 0: what is compared is equal, 1: something differs, 2: trouble.");
    line("#include <reel/reel.hpp>\n");
    if (calls(is_equal_function)) line("#include <algorithm>");
    if (uses("std::array<")) line("#include <array>");
    if (uses("std::bit_cast<")) line("#include <bit>");
    if (calls(timed_function)) line("#include <chrono>");
    if (uses("int8_t") || uses("int16_t") || uses("int32_t") || uses("int64_t") ||
        calls(words_function))
      line("#include <cstdint>");
    line("#include <cstdio>");
    if (calls(words_function)) line("#include <cstring>");
    line("#include <exception>");
    if (calls(load_function)) line("#include <fstream>\n#include <iterator>");
    if (uses("std::numeric_limits<")) line("#include <limits>");
    if (calls(load_function)) line("#include <stdexcept>\n#include <string>\n#include <vector>");
    line("\nnamespace {{");
  }

  void buffers() {
    line("  const reel::Device device = reel::open_device(selector);");
    line(R"(  const reel::Stream stream = device.stream("main");)");
    line(R"(  std::printf("on %s, %s\n", device.info().id.c_str(), device.info().name.c_str());)");
    if (has_checks(plan_)) line("  bool equal = true;");
    if (!plan_.buffers.empty()) line("\n  // --- buffers, zero at first ---");
    for (const auto& [index, name] : plan_.buffers) {
      const TraceBuffer& buffer = trace_.buffers()[index];
      const std::string variable = fmt::format("  const reel::Buffer {} =", name);
      const std::string value = fmt::format("device.buffer({}, {});", number(buffer.size_bytes),
                                            cpp_string(buffer.label));
      const bool fits = variable.size() + 1 + value.size() <= 100;
      line("{}{}{}", variable, fits ? " " : "\n      ", value);
    }
  }

  void inputs() {
    if (!plan_.inputs.empty()) line("\n  // --- inputs ---");
    for (const Data& input : plan_.inputs) put(input);
  }

  void put(const Data& data) {
    text_ += wrapped("  stream.write(", {range(*data.contents), load(data.path)}, ");");
  }

  void kernels() {
    if (!plan_.kernels.empty()) line("\n  // --- kernels ---");
    for (const auto& [index, kernel] : plan_.kernels) {
      const TraceKernel& recorded = trace_.kernels()[index];
      line("  const reel::Kernel {} = device.kernel({{", kernel.name);
      line("      .name = {},", cpp_string(recorded.name));
      for (const KernelFile& file : kernel.files) {
        const bool is_text = file.form != KernelForm::spirv;
        used_.insert({load_function, is_text ? text_function : words_function});
        line("      .{} = {}(\"{}\"),", to_string(file.form), is_text ? "text" : "words",
             file.path);
      }
      if (!recorded.entry.empty()) line("      .entry = {},", cpp_string(recorded.entry));
      if (!recorded.defines.empty()) {
        std::vector<std::string> defines;
        for (const auto& [name, value] : recorded.defines)
          defines.push_back(fmt::format("{{{}, {}}}", cpp_string(name), cpp_string(value)));
        line("      .defines = {{{}}},", fmt::join(defines, ", "));
      }
      if (!recorded.constants.empty()) {
        std::vector<std::string> constants;
        for (const auto& [id, value] : recorded.constants)
          constants.push_back(fmt::format("{{{}, {}}}", id, value));
        line("      .constants = {{{}}},", fmt::join(constants, ", "));
      }
      if (!recorded.options.empty()) line("      .options = {},", cpp_string(recorded.options));
      if (recorded.group_size != unset_dim)
        line("      .group_size = {},", dim(recorded.group_size));
      line("  }});");
    }
  }

  void commands() {
    line("\n  // --- commands ---");
    for (const Step& step : plan_.steps) {
      if (step.kind == Step::Kind::put)
        put(step.data);
      else if (step.kind == Step::Kind::check)
        check(step.data);
      else
        command(step);
    }
  }

  void command(const Step& step) {
    const TraceWork& work = trace_.work_of(trace_.commands()[step.command]);
    const auto arguments = trace_.arguments(work);
    const std::string comment = command_comment(plan_, step.command);
    if (does_nothing(trace_, work)) return line("  // {}; nothing to do", comment);
    const std::string label =
        work.label ? ", " + cpp_string(trace_.text(work.label)) : std::string();
    switch (work.kind) {
      case WorkKind::dispatch:
        line("  // {}", comment);
        return dispatch(step.command, work);
      case WorkKind::copy:
        line("  // {}", comment);
        for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
          text_ += wrapped("  stream.copy(", {range(arguments[i + 1]), range(arguments[i]) + label},
                           ");");
        return;
      case WorkKind::fill:
        line("  // {}", comment);
        for (const TraceArgument& target : arguments)
          line("  stream.fill({}, std::uint{}_t{{0x{:0{}x}}}{});", range(target),
               8 * work.pattern_bytes, fill_pattern(work), 2 * work.pattern_bytes, label);
        return;
      case WorkKind::write:
        line("  // {}", comment);
        for (const Data& data : step.written)
          text_ += wrapped("  stream.write(",
                           {range(range_of(*data.contents)), load(data.path) + label}, ");");
        return;
      case WorkKind::barrier:
        line("  // {}", comment);
        return line("  stream.barrier();");
      case WorkKind::read:
        return line("  // {} of {}", comment, buffer_name(plan_, arguments[0].buffer));
      case WorkKind::host_call:
        return line("  // {}, left out", comment);
      case WorkKind::launch:
        return line("  // {} of a graph, whose nodes follow", comment);
      case WorkKind::unknown:
        return;
    }
  }

  void dispatch(std::uint32_t command, const TraceWork& work) {
    const auto arguments = trace_.arguments(work);
    std::string launch =
        fmt::format("{{.groups = {}, .group_size = {}", dim(work.groups), dim(work.group_size));
    if (work.label && trace_.text(work.label) != trace_.kernels()[work.kernel].name)
      launch += ", .label = " + cpp_string(trace_.text(work.label));
    launch += '}';
    std::string call = "    stream.dispatch(";
    for (const TraceArgument& a : arguments)
      if (a.kind == ArgumentKind::indirect) {
        call = "    stream.dispatch_indirect(";
        launch = fmt::format("{}, {{.group_size = {}}}", range(a), dim(work.group_size));
      }
    used_.insert(timed_function);
    line("  timed(stream, \"{}\", [&] {{", command_title(plan_, command));
    std::vector<ArgumentText> list;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind != ArgumentKind::indirect)
        list.push_back(argument(parameter_of(trace_, work, i), arguments[i]));
    text_ += wrapped(call, {plan_.kernels.at(work.kernel).name, launch}, list.empty() ? ");" : ",");
    text_ += argument_lines(list, call.size(), "//", ");");
    line("  }});");
  }

  ArgumentText argument(const Parameter* parameter, const TraceArgument& a) const {
    const std::string word = parameter_word(parameter);
    if (a.kind == ArgumentKind::shared)
      return {fmt::format("reel::shared({})", number(a.size_bytes)), word};
    if (a.kind == ArgumentKind::buffer)
      return {fmt::format("{}({})", to_string(a.access), range(a)),
              word == buffer_name(plan_, a.buffer) ? "" : word};
    const Literal literal =
        cpp_literal(parameter ? parameter->element : std::nullopt, trace_.value_bytes(a));
    return {literal.code,
            word + (word.empty() || literal.comment.empty() ? "" : ": ") + literal.comment};
  }

  void checks() {
    line("\n  // --- checks ---");
    for (const Data& data : plan_.checks) check(data);
    line("  return {};", has_checks(plan_) ? "equal ? 0 : 1" : "0");
  }

  void check(const Data& data) {
    const std::string name = data_name(plan_, *data.contents);
    if (data.path.empty())
      return line(
          "  std::puts(\"{:<32} not checked: only the hash of its {} bytes was recorded\");", name,
          data.contents->size_bytes);
    used_.insert({load_function, is_equal_function});
    text_ += wrapped("  equal &= is_equal(",
                     {"stream", fmt::format("\"{}\"", name), range(*data.contents),
                      fmt::format("\"{}\"", data.path)},
                     ");");
  }

  std::string load(const std::string& path) {
    used_.insert(load_function);
    return fmt::format("load(\"{}\")", path);
  }

  template <class Range>  // an argument, or contents
  std::string range(const Range& r) const {
    std::string name = buffer_name(plan_, r.buffer);
    if (r.offset_bytes == 0 && r.size_bytes == trace_.buffers()[r.buffer].size_bytes) return name;
    return fmt::format("{}.range({}, {})", name, number(r.offset_bytes), number(r.size_bytes));
  }

  const ProgramPlan& plan_;
  const Trace& trace_;
  std::string text_;
  std::set<const char*> used_;  // of functions_in_order
};

}  // namespace

std::vector<TextFile> cpp_files(const ProgramPlan& plan) {
  const std::string selectors = fmt::format("{}", fmt::join(plan.backends, "`, `"));
  return {{"main.cpp", CppProgram(plan).text()},
          {"CMakeLists.txt", cmake_text},
          {"README.md",
           readme(plan, {.needs = "Needs CMake, a C++20 compiler and reel, installed where "
                                  "`CMAKE_PREFIX_PATH` says.",
                         .commands = "cmake -S . -B build && cmake --build build\nbuild/program",
                         .device = fmt::format(
                             "`build/program <device>` says where to run, `{}` unless given; the "
                             "kernels have forms for `{}`.",
                             plan.backends[0], selectors),
                         .times = "The times it prints are the host's, from the call until the "
                                  "device is done; the first use of a kernel takes longer."})}};
}

}  // namespace reel::program
