// host_kernels.cpp - Python functions as kernels of the host device.
//
// The device calls a plain C++ function that is told nothing but its group, so each Python function
// gets one of a number of such functions, its slot. A slot is free again when its owner is gone:
// all kernels that were built with it, and what is known of it by name.
#include <array>
#include <utility>

#include "python/src/library/objects.hpp"
#include "python/src/raised.hpp"
#include "reel/error.hpp"

namespace reel::python {
namespace {

constexpr std::size_t slots = 256;

// One parameter, as @reel.host_kernel was told of it.
struct PythonParameter {
  Parameter parameter;
  py::dtype type;
};

struct Slot {
  py::object function;  // empty: free
  std::string name;
  std::vector<PythonParameter> parameters;
  std::weak_ptr<const void> owner;  // HostKernel::owner of all that was made of it
};

// Changed with the GIL only. Never destroyed: Python may end before it.
std::array<Slot, slots>& all_slots() {
  static auto* list = new std::array<Slot, slots>;
  return *list;
}

bool is_free(const Slot& slot) { return !slot.function || slot.owner.expired(); }

py::object to_value(const PythonParameter& known, const HostGroup& group, std::size_t index) {
  const auto& type = known.type;
  const auto element = static_cast<std::uint64_t>(type.itemsize());
  const auto array_of = [&](void* data, std::uint64_t size_bytes, bool writable) {
    py::array result(type, {static_cast<py::ssize_t>(size_bytes / element)},
                     {static_cast<py::ssize_t>(element)}, data, py::none());
    if (!writable) result.attr("flags").attr("writeable") = false;
    return result;
  };
  const HostArgument& argument = group.arguments[index];
  switch (known.parameter.kind) {
    case ArgumentKind::buffer:
      return array_of(argument.data, argument.size_bytes, writes(known.parameter.access));
    case ArgumentKind::shared: {
      const auto memory = group.shared<std::byte>(index);
      return array_of(memory.data(), memory.size(), true);
    }
    default:
      break;  // @reel.host_kernel knows no other
  }
  const void* bytes =
      element <= sizeof(void*) ? static_cast<const void*>(&argument.data) : argument.data;
  return py::array(type, std::vector<py::ssize_t>{}, bytes).attr("__getitem__")(py::tuple());
}

void run(const Slot& slot, const HostGroup& group) {
  const PythonCall python;
  try {
    py::tuple arguments(slot.parameters.size() + 1);
    arguments[0] = py::module_::import("reel._host_kernel")
                       .attr("HostGroup")(to_tuple(group.id), to_tuple(group.count),
                                          to_tuple(group.size), to_tuple(group.first_item()));
    for (std::size_t i = 0; i < slot.parameters.size(); ++i)
      arguments[i + 1] = to_value(slot.parameters[i], group, i);
    slot.function(*arguments);
  } catch (const py::error_already_set& error) {
    throw Error(Code::host_call_failed,
                "Kernel '" + slot.name + "', a Python function, raised " + describe_raised(error));
  }
}

template <std::size_t slot>
void trampoline(const HostGroup& group) {
  run(all_slots()[slot], group);
}

template <std::size_t... i>
constexpr std::array<HostFunction, slots> make_trampolines(std::index_sequence<i...>) {
  return {&trampoline<i>...};
}
constexpr auto trampolines = make_trampolines(std::make_index_sequence<slots>{});

PythonParameter to_parameter(const py::handle& row) {
  const auto name = row.attr("name").cast<std::string>();
  const auto use = row.attr("use").cast<std::string>();
  const auto element = parse_element_type(row.attr("element").cast<std::string>());
  PythonParameter result{{}, row.attr("dtype")};
  Parameter& parameter = result.parameter;
  parameter.name = name;
  parameter.element = element;
  if (use == "value") {
    parameter.kind = ArgumentKind::value;
    parameter.access = Access::read;
    parameter.size_bytes = static_cast<std::uint32_t>(result.type.itemsize());
  } else if (use == "shared") {
    parameter.kind = ArgumentKind::shared;
  } else {
    parameter.access = use == "in"    ? Access::read
                       : use == "out" ? Access::write
                                      : Access::read_write;
  }
  return result;
}

}  // namespace

HostKernel to_host_kernel(const py::handle& function) {
  if (!py::hasattr(function, "__reel_parameters__"))
    throw py::type_error(
        "A kernel of the host device is a function with @reel.host_kernel(...), not " +
        repr_of(function) + ".");
  auto& list = all_slots();
  std::size_t at = 0;
  while (at < slots && !(list[at].function.ptr() == function.ptr())) ++at;
  if (at == slots) {
    at = 0;
    while (at < slots && !is_free(list[at])) ++at;
    if (at == slots)
      throw Error(Code::unsupported,
                  "256 Python functions are kernels of the host device already; a further one has "
                  "to wait until kernels are gone.");
    Slot slot;
    slot.function = py::reinterpret_borrow<py::object>(function);
    slot.name = py::str(function.attr("__name__"));
    for (const auto& row : function.attr("__reel_parameters__"))
      slot.parameters.push_back(to_parameter(row));
    std::swap(list[at], slot);
  }
  HostKernel result(trampolines[at]);
  for (const PythonParameter& known : list[at].parameters)
    result.parameters.push_back(known.parameter);
  result.reflected = true;
  result.owner = list[at].owner.lock();
  if (!result.owner) list[at].owner = result.owner = std::make_shared<char>();
  return result;
}

}  // namespace reel::python
