#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "export/programs/program_names.hpp"
#include "export/programs/program_text.hpp"
#include "export/programs/program_values.hpp"

namespace reel::program {
namespace {

constexpr const char* imports = R"(import sys
from pathlib import Path

try:
    import numpy
    import pyopencl as cl
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(2)

FOLDER = Path(__file__).resolve().parent


def find_device(wanted):
    """The first device with `wanted` in its name or the name of its platform."""
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            if wanted.lower() in f"{platform.name} {device.name}".lower():
                return device
    raise RuntimeError(f"No OpenCL device has '{wanted}' in its name.")
)";

constexpr const char* make_buffer_function = R"(

def make_buffer(queue, size):
    """Memory of the device, zero at first."""
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, size)
    cl.enqueue_fill_buffer(queue, buffer, numpy.uint8(0), 0, size)
    return buffer
)";

constexpr const char* load_function = R"(

def load(name, size):
    """The bytes of a file in this program's folder."""
    data = numpy.frombuffer((FOLDER / name).read_bytes(), numpy.uint8)
    if data.size != size:
        raise RuntimeError(f"{name} has {data.size} bytes, not {size}.")
    return data
)";

constexpr const char* put_function = R"(

def put(queue, buffer, offset, size, name):
    """Writes a file of this program into a buffer."""
    cl.enqueue_copy(queue, buffer, load(name, size), dst_offset=offset)
)";

constexpr const char* build_kernel_function = R"(

def build_kernel(context, name, entry, defines=(), options=""):
    """The kernel `entry` of a file, with macros defined before its first line."""
    lines = [f"#define {word} {value}" for word, value in defines]
    source = (FOLDER / name).read_text(encoding="utf-8")
    program = cl.Program(context, "\n".join([*lines, "#line 1", source]))
    return cl.Kernel(program.build(options=options), entry)
)";

constexpr const char* part_function = R"(

def part(device, buffer, offset, size):
    """A range of a buffer, as an argument of a kernel."""
    alignment = device.mem_base_addr_align // 8
    if offset % alignment != 0:
        raise RuntimeError(
            f"A range begins at byte {offset}; on {device.name} it must be a multiple of {alignment}."
        )
    return buffer.get_sub_region(offset, size)
)";

constexpr const char* groups_in_function = R"(

def groups_in(queue, buffer, offset):
    """A grid that the device has computed: three numbers in a buffer."""
    groups = numpy.empty(3, numpy.uint32)
    cl.enqueue_copy(queue, groups, buffer, src_offset=offset)
    return tuple(int(count) for count in groups)
)";

constexpr const char* dispatch_function = R"(

def dispatch(queue, name, kernel, groups, group_size, *arguments, items=None, offset=None):
    """Runs a kernel and prints how long the device took for it."""
    if items is None:
        items = tuple(count * size for count, size in zip(groups, group_size))
    event = kernel(queue, items, group_size, *arguments, global_offset=offset)
    event.wait()
    print(f"{name:<32} {(event.profile.end - event.profile.start) / 1000:10.1f} us")
)";

constexpr const char* is_equal_function = R"(

def is_equal(queue, name, buffer, offset, size, expected_file):
    """Compares bytes on the device with those that were recorded, and says what it finds."""
    expected = load(expected_file, size)
    found = numpy.empty_like(expected)
    cl.enqueue_copy(queue, found, buffer, src_offset=offset)
    different = numpy.flatnonzero(found != expected)
    if different.size == 0:
        print(f"{name:<32} equal, {found.size} bytes")
        return True
    at = different[0]
    print(f"{name:<32} differs first at byte {at}: 0x{found[at]:02x}, recorded 0x{expected[at]:02x}")
    return False
)";

constexpr std::array functions_in_order{make_buffer_function,  load_function,    put_function,
                                        build_kernel_function, part_function,    groups_in_function,
                                        dispatch_function,     is_equal_function};

constexpr const char* ending = R"(

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
    except Exception as error:
        print(error, file=sys.stderr)
        sys.exit(2)
)";

// As many dimensions as the library gives to OpenCL: those after the last with several items are
// not there for get_work_dim().
std::size_t dimensions(const Dim3& groups, const Dim3& size) {
  const auto is_one = [](std::uint32_t g, std::uint32_t s) { return std::uint64_t{g} * s == 1; };
  return !is_one(groups.z, size.z) ? 3 : !is_one(groups.y, size.y) ? 2 : 1;
}

std::string tuple(const Dim3& d, std::size_t count) {
  if (count == 3) return fmt::format("({}, {}, {})", d.x, d.y, d.z);
  if (count == 2) return fmt::format("({}, {})", d.x, d.y);
  return fmt::format("({},)", d.x);
}

class PythonProgram {
 public:
  explicit PythonProgram(const ProgramPlan& plan) : plan_(plan), trace_(plan.trace) {}

  // The body comes first: what it uses decides on the functions above it.
  std::string text() {
    buffers();
    inputs();
    kernels();
    commands();
    checks();
    const std::string body = std::move(text_);
    text_ = R"(""")";
    // Backslashes of escaped words would be read again.
    std::string from = origin(plan_);
    std::ranges::replace(from, '\\', '/');
    std::ranges::replace(from, '"', '\'');
    line("{}.\n", from);
    line("    python3 main.py [part of a device's name]\n");
    line("Exit code 0: what is compared is equal, 1: something differs, 2: trouble.\n\"\"\"");
    text_ += imports;
    for (const char* function : functions_in_order)
      if (used_.contains(function)) text_ += function;
    line("\n\ndef main(wanted):");
    text_ += body;
    text_ += ending;
    return std::move(text_);
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> format, A&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<A>(values)...);
    text_ += '\n';
  }

  void buffers() {
    line("    device = find_device(wanted)");
    line("    context = cl.Context([device])");
    line(
        "    queue = cl.CommandQueue(context, "
        "properties=cl.command_queue_properties.PROFILING_ENABLE)");
    line("    print(f\"on {{device.name}}\")");
    if (has_checks(plan_)) line("    equal = True");
    if (!plan_.buffers.empty()) line("\n    # --- buffers ---");
    for (const auto& [index, name] : plan_.buffers) {
      used_.insert(make_buffer_function);
      const TraceBuffer& buffer = trace_.buffers()[index];
      line("    {} = make_buffer(queue, {}){}", name, buffer.size_bytes,
           buffer.label == name ? "" : "  # " + short_string(buffer.label));
    }
  }

  void inputs() {
    if (!plan_.inputs.empty()) line("\n    # --- inputs ---");
    for (const Data& input : plan_.inputs) put(input);
  }

  void put(const Data& data) {
    used_.insert({load_function, put_function});
    text_ += wrapped("    put(",
                     {"queue", buffer_name(plan_, data.contents->buffer),
                      fmt::format("{}, {}", data.contents->offset_bytes, data.contents->size_bytes),
                      fmt::format("\"{}\"", data.path)},
                     ")");
  }

  void kernels() {
    if (!plan_.kernels.empty()) line("\n    # --- kernels ---");
    for (const auto& [index, kernel] : plan_.kernels) {
      const TraceKernel& recorded = trace_.kernels()[index];
      used_.insert(build_kernel_function);
      std::vector<std::string> parts{
          "context", fmt::format("\"{}\"", kernel.files[0].path),
          python_string(recorded.entry.empty() ? recorded.name : recorded.entry)};
      if (!recorded.defines.empty()) {
        std::vector<std::string> defines;
        for (const auto& [name, value] : recorded.defines)
          defines.push_back(fmt::format("({}, {})", python_string(name), python_string(value)));
        parts.push_back(fmt::format("defines=[{}]", fmt::join(defines, ", ")));
      }
      if (!recorded.options.empty()) parts.push_back("options=" + python_string(recorded.options));
      text_ += wrapped(fmt::format("    {} = build_kernel(", kernel.name), parts, ")");
    }
  }

  void commands() {
    line("\n    # --- commands ---");
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
    if (does_nothing(trace_, work)) return line("    # {}; nothing to do", comment);
    switch (work.kind) {
      case WorkKind::dispatch:
        line("    # {}", comment);
        return dispatch(step.command, work);
      case WorkKind::copy:
        line("    # {}", comment);
        for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
          line("    cl.enqueue_copy(");
          line("        queue, {}, {},", buffer_name(plan_, arguments[i + 1].buffer),
               buffer_name(plan_, arguments[i].buffer));
          line("        dst_offset={}, src_offset={}, byte_count={},",
               arguments[i + 1].offset_bytes, arguments[i].offset_bytes, arguments[i].size_bytes);
          line("    )");
        }
        return;
      case WorkKind::fill:
        line("    # {}", comment);
        for (const TraceArgument& target : arguments)
          line("    cl.enqueue_fill_buffer(queue, {}, numpy.uint{}(0x{:0{}x}), {}, {})",
               buffer_name(plan_, target.buffer), 8 * work.pattern_bytes, fill_pattern(work),
               2 * work.pattern_bytes, target.offset_bytes, target.size_bytes);
        return;
      case WorkKind::write:
        line("    # {}", comment);
        for (const Data& data : step.written) put(data);
        return;
      case WorkKind::read:
        return line("    # {} of {}", comment, buffer_name(plan_, arguments[0].buffer));
      case WorkKind::barrier:
        return line("    # {}; the queue does one command after the other", comment);
      case WorkKind::host_call:
        return line("    # {}, left out", comment);
      case WorkKind::launch:
        return line("    # {} of a graph, whose nodes follow", comment);
      case WorkKind::unknown:
        return;
    }
  }

  void dispatch(std::uint32_t command, const TraceWork& work) {
    const auto arguments = trace_.arguments(work);
    std::size_t count =
        std::max<std::size_t>(dimensions(work.groups, work.group_size), work.dimensions);
    std::string groups = tuple(work.groups, count);
    for (const TraceArgument& a : arguments)
      if (a.kind == ArgumentKind::indirect) {
        used_.insert(groups_in_function);
        count = 3;
        groups =
            fmt::format("groups_in(queue, {}, {})", buffer_name(plan_, a.buffer), a.offset_bytes);
      }
    used_.insert(dispatch_function);
    // With items of their own number, groups say nothing.
    const bool is_own_choice = !work.has_own_groups();
    const bool is_free = is_own_choice || work.items != unset_dim || work.offset != unset_dim;
    const Dim3 items = work.all_items();
    if (is_free) {
      const auto is_used = [](std::uint32_t size, std::uint32_t begin) {
        return size != 1 || begin != 0;
      };
      count = is_used(items.z, work.offset.z) ? 3 : is_used(items.y, work.offset.y) ? 2 : 1;
      count = std::max<std::size_t>(count, work.dimensions);
      groups = "None";
    }
    line("    dispatch(");
    line("        queue, \"{}\", {}, {}, {},", command_title(plan_, command),
         plan_.kernels.at(work.kernel).name, groups,
         is_own_choice ? "None" : tuple(work.group_size, count));
    std::vector<ArgumentText> list;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind != ArgumentKind::indirect)
        list.push_back(argument(parameter_of(trace_, work, i), arguments[i]));
    text_ += argument_lines(list, 8, "#", ",");
    if (is_free) line("        items={},", tuple(items, count));
    if (work.offset != unset_dim) line("        offset={},", tuple(work.offset, count));
    line("    )");
  }

  ArgumentText argument(const Parameter* parameter, const TraceArgument& a) {
    const std::string word = parameter_word(parameter);
    if (a.kind == ArgumentKind::null) return {"None", word};
    if (a.kind == ArgumentKind::shared)
      return {fmt::format("cl.LocalMemory({})", std::max<std::uint64_t>(a.size_bytes, 1)), word};
    if (a.kind == ArgumentKind::buffer) {
      const std::string name = buffer_name(plan_, a.buffer);
      const std::string comment = word == name ? "" : word;
      if (is_whole(trace_, a)) return {name, comment};
      used_.insert(part_function);
      return {fmt::format("part(device, {}, {}, {})", name, a.offset_bytes, a.size_bytes), comment};
    }
    const Literal literal =
        python_literal(parameter ? parameter->element : std::nullopt, trace_.value_bytes(a));
    return {literal.code,
            word + (word.empty() || literal.comment.empty() ? "" : ": ") + literal.comment};
  }

  void checks() {
    line("\n    # --- checks ---");
    for (const Data& data : plan_.checks) check(data);
    line("    return {}", has_checks(plan_) ? "0 if equal else 1" : "0");
  }

  void check(const Data& data) {
    const TraceContents& contents = *data.contents;
    const std::string name = data_name(plan_, contents);
    if (data.path.empty())
      return line("    print(\"{:<32} not checked: only the hash of its {} bytes was recorded\")",
                  name, contents.size_bytes);
    used_.insert({load_function, is_equal_function});
    text_ += wrapped("    equal &= is_equal(",
                     {"queue", fmt::format("\"{}\"", name), buffer_name(plan_, contents.buffer),
                      fmt::format("{}, {}", contents.offset_bytes, contents.size_bytes),
                      fmt::format("\"{}\"", data.path)},
                     ")");
  }

  const ProgramPlan& plan_;
  const Trace& trace_;
  std::string text_;
  std::set<const char*> used_;  // of functions_in_order
};

}  // namespace

std::vector<TextFile> python_files(const ProgramPlan& plan) {
  return {{"main.py", PythonProgram(plan).text()},
          {"README.md",
           readme(plan, {.needs = "Needs PyOpenCL, numpy and an OpenCL driver.",
                         .commands = "python3 -m pip install pyopencl numpy   # or: apt install "
                                     "python3-pyopencl python3-numpy\npython3 main.py",
                         .device = "`python3 main.py <part of a name>` runs it on another than the "
                                   "first device.",
                         .times = "The times it prints are the device's, from start to end of a "
                                  "kernel."})}};
}

}  // namespace reel::program
