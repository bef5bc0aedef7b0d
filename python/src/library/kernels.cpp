#include <functional>

#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"
#include "python/src/parameters.hpp"
#include "reel/device.hpp"
#include "reel/kernel.hpp"

namespace reel::python {
namespace {

py::object sized_group(const Kernel& kernel) {
  const Dim3 size = kernel.group_size();
  return size == unset_dim ? py::object(py::none()) : py::object(to_tuple(size));
}

std::vector<std::uint32_t> to_words(const py::handle& spirv) {
  if (spirv.is_none()) return {};
  const BytesToRead code(spirv);
  if (code.bytes().size() % 4 != 0)
    throw py::value_error("SPIR-V is a number of 32-bit words, not " +
                          std::to_string(code.bytes().size()) + " bytes.");
  std::vector<std::uint32_t> words(code.bytes().size() / 4);
  std::copy(code.bytes().begin(), code.bytes().end(),
            std::as_writable_bytes(std::span(words)).begin());
  return words;
}

// Constants of GLSL and SPIR-V have numbers, no names.
std::uint32_t to_word(const py::handle& value, const char* rule) {
  try {
    return value.cast<std::uint32_t>();
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(rule) + ", an int from 0 to 2**32 - 1, not " + repr_of(value) +
                         ".");
  }
}

// What a kernel and a program are both made of.
KernelSource to_source(const std::string& opencl_c, const std::string& glsl,
                       const py::object& spirv, const py::dict& defines, const py::dict& constants,
                       const std::string& options, const py::object& group_size) {
  const auto to_bits = [](const py::handle& value) {
    try {
      return value.cast<std::uint64_t>();
    } catch (const py::cast_error&) {
      throw py::type_error("The value of a constant is its bits, an int from 0 to 2**64 - 1, not " +
                           repr_of(value) + ".");
    }
  };
  KernelSource source{.name = {}, .opencl_c = opencl_c, .glsl = glsl, .options = options};
  source.spirv = to_words(spirv);
  for (const auto& [key, value] : defines) source.defines.push_back({py::str(key), py::str(value)});
  for (const auto& [key, value] : constants)
    source.constants.push_back(
        {to_word(key, "The id of a constant is its constant_id"), to_bits(value)});
  if (!group_size.is_none()) source.group_size = to_dim3(group_size, "group_size");
  return source;
}

// `make` builds with the function of Python as a HostKernel, empty where there is none.
Kernel with_host(const py::object& host, const std::function<Kernel(const HostKernel&)>& make) {
  const HostKernel python = host.is_none() ? HostKernel() : to_host_kernel(host);
  const GilReleased released;
  return make(python);
}

Kernel build(const Device& device, const std::string& name, const std::string& opencl_c,
             const std::string& glsl, const py::object& spirv, const py::object& host,
             const std::string& entry, const py::dict& defines, const py::dict& constants,
             const std::string& options, const py::object& group_size, bool declared_layout,
             const py::dict& array_counts, std::uint32_t subgroup_size, bool full_subgroups) {
  KernelSource source = to_source(opencl_c, glsl, spirv, defines, constants, options, group_size);
  source.name = name;
  source.entry = entry;
  source.declared_layout = declared_layout;
  for (const auto& [place, count] : array_counts) {
    const auto at = place.cast<std::pair<std::uint32_t, std::uint32_t>>();
    source.array_counts.push_back({at.first, at.second, count.cast<std::uint32_t>()});
  }
  source.subgroup_size = subgroup_size;
  source.full_subgroups = full_subgroups;
  return with_host(host, [&](const HostKernel& function) {
    source.host = function;
    return device.kernel(source);
  });
}

Program make_program(const Device& device, const std::string& opencl_c, const py::object& spirv,
                     const py::dict& defines, const py::dict& constants, const std::string& options,
                     const py::object& group_size) {
  return {device, to_source(opencl_c, "", spirv, defines, constants, options, group_size)};
}

Kernel build_of(const Program& program, const std::string& entry, const std::string& label,
                const std::string& glsl, const py::object& host, const py::object& group_size) {
  ProgramKernel own{.label = label, .glsl = glsl};
  if (!group_size.is_none()) own.group_size = to_dim3(group_size, "group_size");
  return with_host(host, [&](const HostKernel& function) {
    own.host = function;
    return program.kernel(entry, own);
  });
}

}  // namespace

void bind_kernels(py::module_& module) {
  py::class_<Kernel, Holder<Kernel>>(module, "Kernel", "A compiled entry point.")
      .def_property_readonly(
          "id", [](const Kernel& self) { return static_cast<int>(self.id()); },
          "As documents name it: 4 is k4.")
      .def_property_readonly(
          "name", [](const Kernel& self) { return to_text(self.name()); }, "As it was given.")
      .def_property_readonly(
          "parameters", [](const Kernel& kernel) { return to_parameters(kernel.parameters()); },
          "What it takes: a list of Parameter.")
      .def_property_readonly("group_size", &sized_group,
                             "Items of a group, where it has a size of its own.")
      .def_property_readonly(
          "build_log", [](const Kernel& self) { return to_text(self.build_log()); },
          "What the compiler said.")
      .def("__repr__", [](const Kernel& self) { return "<reel.Kernel '" + self.name() + "'>"; });

  py::class_<Program, Holder<Program>>(module, "Program", "One source with several kernels.")
      .def("kernel", &build_of, py::arg("entry"), py::arg("label") = "", py::arg("glsl") = "",
           py::arg("host") = py::none(), py::arg("group_size") = py::none(),
           "kernel($self, entry, label='', glsl='', host=None, group_size=None)\n--\n\nOne of its "
           "kernels; a shader has one main, so each brings its own.");

  py::class_<Shared>(module, "Shared", "Shared memory of a group, as an argument.")
      .def_readonly("size_bytes", &Shared::size_bytes, "Of each group.");
  module.def("shared", &shared, py::arg("size_bytes"),
             "shared(size_bytes)\n--\n\nShared (local) memory of so many bytes for each group, as "
             "an argument.");

  py::class_<Device, Holder<Device>>(module.attr("Device"))
      .def(
          "kernel", &build, py::arg("name"), py::arg("opencl_c") = "", py::arg("glsl") = "",
          py::arg("spirv") = py::none(), py::arg("host") = py::none(), py::arg("entry") = "",
          py::arg("defines") = py::dict(), py::arg("constants") = py::dict(),
          py::arg("options") = "", py::arg("group_size") = py::none(),
          py::arg("declared_layout") = false, py::arg("array_counts") = py::dict(),
          py::arg("subgroup_size") = 0, py::arg("full_subgroups") = false,
          R"doc(kernel($self, name, opencl_c='', glsl='', spirv=None, host=None, entry='', defines={}, constants={}, options='', group_size=None, declared_layout=False, array_counts={}, subgroup_size=0, full_subgroups=False)
--

Builds the form that the device takes; Error with the compiler's log where it fails. With
declared_layout a shader says itself where its arguments go: any set and binding, arrays (of those
without a size, array_counts has the elements by set and binding), uniform buffers, images, samplers.

>>> scale = device.kernel("scale", opencl_c=text, group_size=64, defines={"TYPE": "float"})
)doc");
  py::class_<Device, Holder<Device>>(module.attr("Device"))
      .def(
          "program", &make_program, py::arg("opencl_c") = "", py::arg("spirv") = py::none(),
          py::arg("defines") = py::dict(), py::arg("constants") = py::dict(),
          py::arg("options") = "", py::arg("group_size") = py::none(),
          R"doc(program($self, opencl_c='', spirv=None, defines={}, constants={}, options='', group_size=None)
--

Several kernels of one source, which is compiled once.

>>> program = device.program(opencl_c=text)
>>> add, scale = program.kernel("add"), program.kernel("scale")
)doc");
  module.def(
      "register_host_kernel",
      [](std::string name, const py::handle& function) {
        register_host_kernel(std::move(name), to_host_kernel(function));
      },
      py::arg("name"), py::arg("function"),
      "register_host_kernel(name, function)\n--\n\nWhat replays and loaded graphs run for a host "
      "kernel of this name: a function with @reel.host_kernel.");
}

}  // namespace reel::python
