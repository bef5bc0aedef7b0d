#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "export/programs/program_names.hpp"
#include "export/programs/program_writer.hpp"

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

constexpr const char* python_load_function = R"(

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

constexpr const char* word_in_function_of_python = R"(

def word_in(queue, buffer, offset):
    """A number in a buffer, when all before it is done."""
    word = numpy.empty(1, numpy.uint32)
    cl.enqueue_copy(queue, word, buffer, src_offset=offset)
    return int(word[0])
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

constexpr const char* python_is_equal_function = R"(

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

constexpr std::array python_functions_in_order{
    make_buffer_function,       python_load_function, put_function,
    build_kernel_function,      part_function,        groups_in_function,
    word_in_function_of_python, dispatch_function,    python_is_equal_function};

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

class PythonProgram : public ProgramWriter {
 public:
  explicit PythonProgram(const ProgramPlan& plan) : ProgramWriter(plan, "    ", "#") {}

  // The body comes first: what it uses decides on the functions above it.
  std::string text() {
    const std::string main = body();
    text_ = R"(""")";
    // Backslashes of escaped words would be read again.
    std::string from = origin(plan_);
    std::ranges::replace(from, '\\', '/');
    std::ranges::replace(from, '"', '\'');
    line("{}.\n", from);
    line("    python3 main.py [part of a device's name]\n");
    line("Exit code 0: what is compared is equal, 1: something differs, 2: trouble.\n\"\"\"");
    text_ += imports;
    add_used(python_functions_in_order);
    line("\n\ndef main(wanted):");
    text_ += main + ending;
    return std::move(text_);
  }

 private:
  void begin() override {
    line("    device = find_device(wanted)");
    line("    context = cl.Context([device])");
    line(
        "    queue = cl.CommandQueue(context, "
        "properties=cl.command_queue_properties.PROFILING_ENABLE)");
    line("    print(f\"on {{device.name}}\")");
    if (has_checks(plan_)) line("    equal = True");
  }

  void buffer(const TraceBuffer& buffer, const std::string& name) override {
    used_.insert(make_buffer_function);
    line("    {} = make_buffer(queue, {}){}", name, buffer.size_bytes,
         buffer.label == name ? "" : "  # " + short_string(buffer.label));
  }

  void kernel(const TraceKernel& kernel, const ProgramKernel& files) override {
    used_.insert(build_kernel_function);
    std::vector<std::string> parts{
        "context", fmt::format("\"{}\"", files.files[0].path),
        python_string(kernel.entry.empty() ? kernel.name : kernel.entry)};
    if (!kernel.defines.empty()) {
      std::vector<std::string> defines;
      for (const auto& [name, value] : kernel.defines)
        defines.push_back(fmt::format("({}, {})", python_string(name), python_string(value)));
      parts.push_back(fmt::format("defines=[{}]", fmt::join(defines, ", ")));
    }
    if (!kernel.options.empty()) parts.push_back("options=" + python_string(kernel.options));
    text_ += wrapped(fmt::format("    {} = build_kernel(", files.name), parts, ")");
  }

  void put(const TraceContents& contents, const std::string& file, const TraceWork*) override {
    used_.insert({python_load_function, put_function});
    text_ += wrapped("    put(",
                     {"queue", name_of_buffer(contents.buffer),
                      fmt::format("{}, {}", contents.offset_bytes, contents.size_bytes),
                      fmt::format("\"{}\"", file)},
                     ")");
  }

  void copy(const TraceWork&, const TraceArgument& target, const TraceArgument& source) override {
    line("    cl.enqueue_copy(");
    line("        queue, {}, {},", name_of_buffer(target.buffer), name_of_buffer(source.buffer));
    line("        dst_offset={}, src_offset={}, byte_count={},", target.offset_bytes,
         source.offset_bytes, source.size_bytes);
    line("    )");
  }

  void fill(const TraceWork& work, const TraceArgument& target) override {
    line("    cl.enqueue_fill_buffer(queue, {}, numpy.uint{}(0x{:0{}x}), {}, {})",
         name_of_buffer(target.buffer), 8 * work.pattern_bytes, fill_pattern(work),
         2 * work.pattern_bytes, target.offset_bytes, target.size_bytes);
  }

  void barrier() override { line("    # the queue does one command after the other"); }

  void predicate(const TraceArgument& word) override {
    used_.insert(word_in_function_of_python);
    line("    if word_in(queue, {}, {}) {} 0:", name_of_buffer(word.buffer), word.offset_bytes,
         word.kind == ArgumentKind::run_if ? "!=" : "==");
  }

  void dispatch(const TraceWork& work, const std::string& title, const TraceArgument* grid,
                const std::vector<ArgumentText>& arguments) override {
    std::size_t count =
        std::max<std::size_t>(dimensions(work.groups, work.group_size), work.dimensions);
    std::string groups = tuple(work.groups, count);
    if (grid) {
      used_.insert(groups_in_function);
      count = 3;
      groups =
          fmt::format("groups_in(queue, {}, {})", name_of_buffer(grid->buffer), grid->offset_bytes);
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
    line("        queue, \"{}\", {}, {}, {},", title, plan_.kernels.at(work.kernel).name, groups,
         is_own_choice ? "None" : tuple(work.group_size, count));
    text_ += argument_lines(arguments, 8, "#", ",");
    if (is_free) line("        items={},", tuple(items, count));
    if (work.offset != unset_dim) line("        offset={},", tuple(work.offset, count));
    line("    )");
  }

  std::string shared_memory(std::uint64_t size_bytes) override {
    return fmt::format("cl.LocalMemory({})", std::max<std::uint64_t>(size_bytes, 1));
  }
  std::string null() override { return "None"; }
  std::string range_argument(const TraceArgument& a) override {
    const std::string& name = name_of_buffer(a.buffer);
    if (is_whole(trace_, a)) return name;
    used_.insert(part_function);
    return fmt::format("part(device, {}, {}, {})", name, a.offset_bytes, a.size_bytes);
  }
  Literal literal(std::optional<ElementType> type, std::span<const std::byte> bytes) override {
    return python_literal(type, bytes);
  }

  void check(const TraceContents& contents, const std::string& name,
             const std::string& file) override {
    used_.insert({python_load_function, python_is_equal_function});
    text_ += wrapped("    equal &= is_equal(",
                     {"queue", fmt::format("\"{}\"", name), name_of_buffer(contents.buffer),
                      fmt::format("{}, {}", contents.offset_bytes, contents.size_bytes),
                      fmt::format("\"{}\"", file)},
                     ")");
  }
  void say(const std::string& text) override { line("    print(\"{}\")", text); }
  void end() override { line("    return {}", has_checks(plan_) ? "0 if equal else 1" : "0"); }
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
