// arguments.cpp - numbers and buffers of Python as arguments of kernels.
#include <cmath>
#include <cstring>
#include <limits>

#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"
#include "reel/error.hpp"

namespace reel::python {
namespace {

struct Place {
  const Kernel& kernel;
  std::size_t index;
  const Parameter* parameter;  // null: not known

  std::string text() const {
    std::string name = "Argument " + std::to_string(index);
    if (parameter && !parameter->name.empty()) name += " ('" + parameter->name + "')";
    return name + " of kernel '" + kernel.name() + "'";
  }
  std::optional<ElementType> element() const {
    return parameter && parameter->kind == ArgumentKind::value ? parameter->element : std::nullopt;
  }
  // Of one element, not of a vector of them.
  bool is_single() const {
    return element() &&
           (parameter->size_bytes == 0 || parameter->size_bytes == size_of(*element()));
  }
};

Argument value_of(std::span<const std::byte> bytes) {
  Argument result;
  result.value_bytes = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(result.bytes, bytes.data(), bytes.size());
  return result;
}
template <class T>
Argument value_of(T value) {
  return value_of(std::as_bytes(std::span(&value, 1)));
}

[[noreturn]] void refuse_range(const Place& place, const py::handle& value, const char* type) {
  throw py::value_error(place.text() + " is " + type + ", which can't hold " + str_of(value) + ".");
}

template <class T>
Argument whole(const Place& place, const py::handle& value, const char* type) {
  if constexpr (std::is_signed_v<T>) {
    const long long wide = PyLong_AsLongLong(value.ptr());
    if (wide == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      refuse_range(place, value, type);
    }
    if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max())
      refuse_range(place, value, type);
    return value_of(static_cast<T>(wide));
  } else {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      refuse_range(place, value, type);
    }
    if (wide > std::numeric_limits<T>::max()) refuse_range(place, value, type);
    return value_of(static_cast<T>(wide));
  }
}

Argument half(double value) {
  const py::object scalar = py::module_::import("numpy").attr("float16")(value);
  return value_of(BytesToRead(scalar).bytes());
}

Argument real(const Place& place, const py::handle& value, ElementType type) {
  const double number = value.cast<double>();
  switch (type) {
    case ElementType::f64:
      return value_of(number);
    case ElementType::f16:
      return half(number);
    case ElementType::f32: {
      const auto narrow = static_cast<float>(number);
      if (std::isinf(narrow) && !std::isinf(number)) refuse_range(place, value, "f32");
      return value_of(narrow);
    }
    default:
      break;
  }
  throw py::type_error(place.text() + " is " + name_of(type) +
                       ", which a Python number can't become; pass its bits as a numpy.uint16.");
}

Argument python_int(const Place& place, const py::handle& value) {
  const auto type = place.is_single() ? place.element() : std::nullopt;
  if (!type) {
    // As C would have a literal: int, else unsigned. Sizes that don't fit are the kernel's to know.
    const long long wide = PyLong_AsLongLong(value.ptr());
    const bool too_wide = wide == -1 && PyErr_Occurred();
    PyErr_Clear();
    if (!too_wide && wide >= INT32_MIN && wide <= INT32_MAX)
      return value_of(static_cast<std::int32_t>(wide));
    if (!too_wide && wide > 0 && wide <= UINT32_MAX)
      return value_of(static_cast<std::uint32_t>(wide));
    throw py::value_error(place.text() +
                          " is of no known type, so an int is taken as 32 bits, which can't hold " +
                          str_of(value) + "; pass a numpy.int64 or numpy.uint64.");
  }
  switch (*type) {
    case ElementType::i8:
      return whole<std::int8_t>(place, value, "i8");
    case ElementType::u8:
    case ElementType::hex:
      return whole<std::uint8_t>(place, value, "u8");
    case ElementType::i16:
      return whole<std::int16_t>(place, value, "i16");
    case ElementType::u16:
      return whole<std::uint16_t>(place, value, "u16");
    case ElementType::i32:
      return whole<std::int32_t>(place, value, "i32");
    case ElementType::u32:
      return whole<std::uint32_t>(place, value, "u32");
    case ElementType::i64:
      return whole<std::int64_t>(place, value, "i64");
    case ElementType::u64:
      return whole<std::uint64_t>(place, value, "u64");
    default:
      return real(place, value, *type);
  }
}

Argument python_float(const Place& place, const py::handle& value) {
  const ElementType type = place.is_single() ? *place.element() : ElementType::f32;
  if (!is_real(type))
    throw py::type_error(place.text() + " is " + name_of(type) + ", not a float; " + str_of(value) +
                         " would be cut off.");
  return real(place, value, type);
}

char kind_of(ElementType type) {
  if (is_real(type)) return 'f';
  switch (type) {
    case ElementType::i8:
    case ElementType::i16:
    case ElementType::i32:
    case ElementType::i64:
      return 'i';
    default:
      return 'u';
  }
}

// A NumPy scalar, or an array that is a vector of the kernel's: taken as the bytes they are.
Argument numpy_value(const Place& place, const py::handle& value) {
  const auto type = py::dtype::from_args(py::reinterpret_borrow<py::object>(value.attr("dtype")));
  const std::string type_text = str_of(type);
  if (type.kind() == 'b')
    throw py::type_error(place.text() + " can't be a bool, which kernels don't take; pass an int.");
  if (type.kind() == 'O' || type.kind() == 'U' || type.kind() == 'S' || type.kind() == 'M' ||
      type.kind() == 'm')
    throw py::type_error(place.text() + " can't be of type " + type_text + ".");
  const auto element = place.element();
  // int32 for uint32 is the same bits, and NumPy mixes them easily; anything else would be misread.
  const bool is_bf16_bits = element == ElementType::bf16 && type.kind() == 'u';
  if (element && type.kind() != 'V' && !is_bf16_bits) {
    const bool same_kind = (kind_of(*element) == 'f') == (type.kind() == 'f');
    if (!same_kind || static_cast<std::size_t>(type.itemsize()) != size_of(*element))
      throw py::type_error(place.text() + " is " + name_of(*element) + ", not numpy's " +
                           type_text + ".");
  }
  const BytesToRead bytes(value);
  if (bytes.bytes().size() > max_value_bytes)
    throw py::type_error(place.text() + " has " + std::to_string(bytes.bytes().size()) +
                         " bytes by value; at most " + std::to_string(max_value_bytes) +
                         " can be given so. Put the array into a buffer: device.buffer(array).");
  return value_of(bytes.bytes());
}

}  // namespace

Argument to_argument(const Kernel& kernel, std::size_t index, const py::handle& value) {
  const bool takes_image =
      index < kernel.parameters().size() && kernel.parameters()[index].kind == ArgumentKind::image;
  const auto bound = [&](const Range& range, Access access) {
    const Bound whole{range, access};
    return takes_image ? Argument::image(whole) : Argument(whole);
  };
  if (py::isinstance<Binding>(value)) {
    const auto& binding = value.cast<const Binding&>();
    return bound(binding.range, binding.access);
  }
  if (py::isinstance<Buffer>(value) || py::isinstance<Range>(value))
    return bound(to_range(value), Access::read_write);
  if (py::isinstance<Shared>(value)) return Argument(value.cast<Shared>());

  const auto& parameters = kernel.parameters();
  const Place place{kernel, index, index < parameters.size() ? &parameters[index] : nullptr};
  if (PyBool_Check(value.ptr()))
    throw py::type_error(place.text() + " can't be a bool, which kernels don't take; pass an int.");
  if (place.parameter && place.parameter->kind == ArgumentKind::buffer)
    throw py::type_error(place.text() + " is a buffer, not a " + type_of(value) +
                         "; make one by device.buffer(array).");
  if (PyLong_Check(value.ptr())) return python_int(place, value);
  // A numpy.float64 is a Python float too, and must not be taken for one.
  if (py::hasattr(value, "dtype") && PyObject_CheckBuffer(value.ptr()))
    return numpy_value(place, value);
  if (PyFloat_Check(value.ptr())) return python_float(place, value);
  throw py::type_error(
      place.text() +
      " is a number, a NumPy scalar, a buffer, inp(), out(), inout() or shared(), not a " +
      type_of(value) + ".");
}

std::vector<Argument> to_arguments(const Kernel& kernel, const py::args& values) {
  std::vector<Argument> result;
  result.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    result.push_back(to_argument(kernel, i, values[i]));
  return result;
}

Pattern to_pattern(const py::handle& value) {
  if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
    const long long number = PyLong_AsLongLong(value.ptr());
    PyErr_Clear();
    if (number < 0 || number > 255)
      throw py::value_error("A fill with a Python int repeats one byte, 0 to 255, not " +
                            str_of(value) +
                            "; give wider patterns as numpy.uint32 or numpy.float32.");
    return {static_cast<std::uint32_t>(number), 1};
  }
  if (!py::hasattr(value, "dtype") || PyBool_Check(value.ptr()))
    throw py::type_error(
        "A fill repeats an int (one byte) or a NumPy scalar of 1, 2 or 4 bytes, not a " +
        type_of(value) + ".");
  const BytesToRead bytes(value);
  const std::size_t size = bytes.bytes().size();
  if (size != 1 && size != 2 && size != 4)
    throw py::type_error("A fill repeats 1, 2 or 4 bytes, not " + std::to_string(size) + ".");
  Pattern result{0, static_cast<std::uint32_t>(size)};
  std::memcpy(&result.bits, bytes.bytes().data(), size);
  return result;
}

Launch to_launch(const py::handle& groups, const py::handle& group_size, const std::string& label,
                 const py::handle& items, const py::handle& offset, bool guarded) {
  if (groups.is_none() == items.is_none())
    throw py::type_error(groups.is_none()
                             ? "A launch is given groups, or None and items=…; here are neither."
                             : "A launch is given groups, or None and items=…, not both.");
  Launch launch{.guarded = guarded, .label = label};
  if (!groups.is_none()) launch.groups = to_dim3(groups, "groups");
  if (!items.is_none()) launch.items = to_dim3(items, "items");
  if (!group_size.is_none()) launch.group_size = to_dim3(group_size, "group_size");
  if (!offset.is_none()) {
    launch.offset = to_dim3(offset, "offset");
    // Of what isn't given, a size is 1 and an offset is 0.
    const std::size_t given = py::isinstance<py::sequence>(offset) ? py::len(offset) : 1;
    if (given < 2) launch.offset.y = 0;
    if (given < 3) launch.offset.z = 0;
  }
  return launch;
}

}  // namespace reel::python
