#include <fmt/format.h>

#include <array>
#include <limits>

#include "export/programs/program_names.hpp"
#include "export/programs/program_writer.hpp"
#include "reel/command.hpp"

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

constexpr const char* value_function = R"(
// A value that is too large for an argument of its own, or a sampler, by its bytes.
template <class Bytes>
reel::Argument value(const Bytes& bytes, reel::ArgumentKind kind = reel::ArgumentKind::value) {
  reel::Argument argument = reel::Argument::of_bytes(std::as_bytes(std::span(bytes)));
  argument.kind = kind;
  return argument;
}
)";

constexpr const char* word_in_function = R"(
// What is there when all before it is done.
std::uint32_t word_in(const reel::Stream& stream, reel::BufferRange range) {
  return stream.read_now<std::uint32_t>(range).at(0);
}
)";

constexpr std::array functions_in_order{load_function,  text_function,    words_function,
                                        timed_function, word_in_function, is_equal_function,
                                        value_function};

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

class CppProgram : public ProgramWriter {
 public:
  explicit CppProgram(const ProgramPlan& plan) : ProgramWriter(plan, "  ", "//") {}

  // The body comes first: what it uses decides on the headers and functions above it.
  std::string text() {
    const std::string main = body();
    head(main);
    add_used(functions_in_order);
    line("\nint run(const char* selector) {{");
    text_ += main;
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
        calls(words_function) || calls(word_in_function))
      line("#include <cstdint>");
    line("#include <cstdio>");
    if (calls(words_function)) line("#include <cstring>");
    line("#include <exception>");
    if (calls(load_function)) line("#include <fstream>\n#include <iterator>");
    if (uses("std::numeric_limits<")) line("#include <limits>");
    if (calls(value_function)) line("#include <span>");
    if (calls(load_function)) line("#include <stdexcept>\n#include <string>\n#include <vector>");
    line("\nnamespace {{");
  }

  void begin() override {
    line("  const reel::Device device = reel::open_device(selector);");
    line(R"(  const reel::Stream stream = device.stream("main");)");
    line(R"(  std::printf("on %s, %s\n", device.info().id.c_str(), device.info().name.c_str());)");
    if (has_checks(plan_)) line("  bool equal = true;");
  }

  void buffer(const TraceBuffer& buffer, const std::string& name) override {
    const std::string variable = fmt::format("  const reel::Buffer {} =", name);
    if (buffer.image) return image(*buffer.image, variable, buffer.label);
    const std::string value =
        fmt::format("device.buffer({}, {});", number(buffer.size_bytes), cpp_string(buffer.label));
    const bool fits = variable.size() + 1 + value.size() <= 100;
    line("{}{}{}", variable, fits ? " " : "\n      ", value);
  }

  void kernel(const TraceKernel& kernel, const ProgramKernel& files) override {
    line("  const reel::Kernel {} = device.kernel({{", files.name);
    line("      .name = {},", cpp_string(kernel.name));
    for (const KernelFile& file : files.files) {
      const bool is_text = file.form != KernelForm::spirv;
      used_.insert({load_function, is_text ? text_function : words_function});
      line("      .{} = {}(\"{}\"),", to_string(file.form), is_text ? "text" : "words", file.path);
    }
    if (!kernel.entry.empty()) line("      .entry = {},", cpp_string(kernel.entry));
    if (!kernel.defines.empty()) {
      std::vector<std::string> defines;
      for (const auto& [name, value] : kernel.defines)
        defines.push_back(fmt::format("{{{}, {}}}", cpp_string(name), cpp_string(value)));
      line("      .defines = {{{}}},", fmt::join(defines, ", "));
    }
    if (!kernel.constants.empty()) {
      std::vector<std::string> constants;
      for (const auto& [id, value] : kernel.constants)
        constants.push_back(fmt::format("{{{}, {}}}", id, value));
      line("      .constants = {{{}}},", fmt::join(constants, ", "));
    }
    if (!kernel.options.empty()) line("      .options = {},", cpp_string(kernel.options));
    if (kernel.group_size != unset_dim) line("      .group_size = {},", dim(kernel.group_size));
    if (kernel.declared_layout) line("      .declared_layout = true,");
    if (!kernel.array_counts.empty()) {
      std::vector<std::string> counts;
      for (const DescriptorCount& c : kernel.array_counts)
        counts.push_back(fmt::format("{{{}, {}, {}}}", c.set, c.binding, c.count));
      line("      .array_counts = {{{}}},", fmt::join(counts, ", "));
    }
    if (kernel.subgroup_size) line("      .subgroup_size = {},", kernel.subgroup_size);
    if (kernel.full_subgroups) line("      .full_subgroups = true,");
    line("  }});");
  }

  void image(const ImageShape& shape, const std::string& variable, const std::string& label) {
    static constexpr std::array types{"d1", "d1_buffer", "d1_array", "d2", "d2_array", "d3"};
    // By its name, or the number that a driver has for it.
    const auto part = [](const char* name, const char* parse, const char* type,
                         std::uint32_t number) {
      return *name ? fmt::format("reel::{}(\"{}\")", parse, name)
                   : fmt::format("static_cast<reel::{}>(0x{:x})", type, number);
    };
    line("{} device.image_buffer(", variable);
    line("      {{reel::ImageType::{}, {},", types[static_cast<std::size_t>(shape.type)],
         part(to_string(shape.channel_order), "parse_channel_order", "ChannelOrder",
              static_cast<std::uint32_t>(shape.channel_order)));
    line("       {}, {}, {}, {}, {}, {}{}}},",
         part(to_string(shape.channel_type), "parse_channel_type", "ChannelType",
              static_cast<std::uint32_t>(shape.channel_type)),
         shape.pixel_bytes, shape.width, shape.height, shape.depth, shape.layers,
         shape.levels > 1 ? fmt::format(", 0, {}", shape.levels) : "");
    line("      {});", cpp_string(label));
  }

  void put(const TraceContents& contents, const std::string& file,
           const TraceWork* write) override {
    used_.insert(load_function);
    text_ += wrapped("  stream.write(",
                     {range(contents), fmt::format("load(\"{}\")", file) + label(write)}, ");");
  }

  void copy(const TraceWork& work, const TraceArgument& target,
            const TraceArgument& source) override {
    text_ += wrapped("  stream.copy(", {range(target), range(source) + label(&work)}, ");");
  }

  void fill(const TraceWork& work, const TraceArgument& target) override {
    line("  stream.fill({}, std::uint{}_t{{0x{:0{}x}}}{});", range(target), 8 * work.pattern_bytes,
         fill_pattern(work), 2 * work.pattern_bytes, label(&work));
  }

  void barrier() override { line("  stream.barrier();"); }

  void predicate(const TraceArgument& word) override {
    used_.insert(word_in_function);
    line("  if (word_in(stream, {}) {} 0)", range(word),
         word.kind == ArgumentKind::run_if ? "!=" : "==");
  }

  void dispatch(const TraceWork& work, const std::string& title, const TraceArgument* grid,
                const std::vector<ArgumentText>& arguments) override {
    const bool by_items = work.items != unset_dim || !work.has_own_groups();
    std::string launch = by_items ? fmt::format("{{.items = {}", dim(work.items))
                                  : fmt::format("{{.groups = {}", dim(work.groups));
    if (work.group_size != unset_dim) launch += ", .group_size = " + dim(work.group_size);
    if (work.offset != unset_dim) launch += ", .offset = " + dim(work.offset);
    if (work.label && trace_.text(work.label) != trace_.kernels()[work.kernel].name)
      launch += ", .label = " + cpp_string(trace_.text(work.label));
    launch += '}';
    if (grid) launch = fmt::format("{}, {{.group_size = {}}}", range(*grid), dim(work.group_size));
    const std::string call = grid ? "    stream.dispatch_indirect(" : "    stream.dispatch(";
    used_.insert(timed_function);
    line("  timed(stream, \"{}\", [&] {{", title);
    text_ +=
        wrapped(call, {plan_.kernels.at(work.kernel).name, launch}, arguments.empty() ? ");" : ",");
    text_ += argument_lines(arguments, call.size(), "//", ");");
    line("  }});");
  }

  std::string shared_memory(std::uint64_t size_bytes) override {
    return fmt::format("reel::shared({})", number(size_bytes));
  }
  std::string null() override { return "reel::Argument::null_pointer()"; }
  std::string range_argument(const TraceArgument& a) override {
    const std::string bound = fmt::format("{}({})", to_string(a.access), range(a));
    return trace_.buffers()[a.buffer].image ? fmt::format("reel::Argument::image({})", bound)
                                            : bound;
  }
  std::string sampler(std::span<const std::byte> bytes) override {
    used_.insert(value_function);
    return fmt::format("value({}, reel::ArgumentKind::sampler)",
                       cpp_literal(std::nullopt, bytes).code);
  }
  Literal literal(std::optional<ElementType> type, std::span<const std::byte> bytes) override {
    Literal literal = cpp_literal(type, bytes);
    if (bytes.size() > max_value_bytes) {
      used_.insert(value_function);
      literal.code = fmt::format("value({})", literal.code);
    }
    return literal;
  }

  void check(const TraceContents& contents, const std::string& name,
             const std::string& file) override {
    used_.insert({load_function, is_equal_function});
    text_ += wrapped(
        "  equal &= is_equal(",
        {"stream", fmt::format("\"{}\"", name), range(contents), fmt::format("\"{}\"", file)},
        ");");
  }
  void say(const std::string& text) override { line("  std::puts(\"{}\");", text); }
  void end() override { line("  return {};", has_checks(plan_) ? "equal ? 0 : 1" : "0"); }

  std::string label(const TraceWork* work) const {
    return work && work->label ? ", " + cpp_string(trace_.text(work->label)) : "";
  }

  template <class Range>  // an argument, or contents
  std::string range(const Range& r) const {
    const std::string& name = name_of_buffer(r.buffer);
    if (r.offset_bytes == 0 && r.size_bytes == trace_.buffers()[r.buffer].size_bytes) return name;
    return fmt::format("{}.range({}, {})", name, number(r.offset_bytes), number(r.size_bytes));
  }
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
