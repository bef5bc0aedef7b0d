#include <algorithm>

#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"

namespace reel::python {

Range to_range(const py::handle& value) {
  if (py::isinstance<Range>(value)) return value.cast<Range>();
  if (!py::isinstance<Buffer>(value))
    throw py::type_error("A buffer or a range of one is needed here, not a " + type_of(value) +
                         ".");
  const auto& buffer = value.cast<const Buffer&>();
  return {buffer, 0, buffer.size_bytes()};
}

namespace {

// Elements as NumPy has them; the shape where it fits the size, else one dimension.
py::array read_range(const Range& range, const py::dtype& type, const py::object& shape) {
  py::array result = new_array(type, range.size_bytes);
  std::span<std::byte> target(static_cast<std::byte*>(result.mutable_data()), range.size_bytes);
  {
    const GilReleased released;
    range.buffer.read_bytes(target, range.offset_bytes);
  }
  return shape.is_none() ? result : py::array(result.attr("reshape")(shape));
}

py::array read_buffer(const py::object& self, const py::object& dtype) {
  const auto& buffer = self.cast<const Buffer&>();
  const Range whole{buffer, 0, buffer.size_bytes()};
  if (!dtype.is_none()) return read_range(whole, py::dtype::from_args(dtype), py::none());
  return read_range(whole, self.attr("dtype"), self.attr("shape"));
}

void write_range(const Range& range, const py::handle& data) {
  const BytesToRead source(data);
  const GilReleased released;
  // What is too long is refused with words of the library.
  range.buffer.write_bytes(source.bytes(), range.offset_bytes);
}

// buffer[2:6]: elements of the buffer's type, in its first dimension or as it lies there.
Range slice_buffer(const py::object& self, const py::slice& slice) {
  const auto& buffer = self.cast<const Buffer&>();
  const auto element = self.attr("dtype").attr("itemsize").cast<std::uint64_t>();
  const std::uint64_t count = buffer.size_bytes() / element;
  py::ssize_t start = 0, stop = 0, step = 0, length = 0;
  if (!slice.compute(static_cast<py::ssize_t>(count), &start, &stop, &step, &length))
    throw py::error_already_set();
  if (step != 1)
    throw py::value_error("A range of a buffer has no gaps: its step is 1, not " +
                          std::to_string(step) + ".");
  return {buffer, static_cast<std::uint64_t>(start) * element,
          static_cast<std::uint64_t>(length) * element,
          self.attr("dtype").attr("kind").cast<char>()};
}

std::uint64_t count_elements(const py::object& self) {
  return self.cast<const Buffer&>().size_bytes() /
         self.attr("dtype").attr("itemsize").cast<std::uint64_t>();
}

py::object to_array(const py::object& self, const py::object& dtype, const py::object& copy) {
  if (!copy.is_none() && !copy.cast<bool>())
    throw py::value_error("The memory of a buffer is the device's, so an array of it is a copy.");
  py::array array = read_buffer(self, py::none());
  return dtype.is_none() ? py::object(std::move(array))
                         : array.attr("astype")(dtype, py::arg("copy") = false);
}

py::array mapped_array(const py::object& self) {
  const std::span<std::byte> bytes = self.cast<const Buffer&>().mapped();
  if (bytes.data() == nullptr)
    throw py::value_error("Buffer '" + self.cast<const Buffer&>().label() +
                          "' is not mapped; make it by device.host_visible_buffer().");
  return py::array(py::dtype("uint8"), {bytes.size()}, {std::size_t{1}}, bytes.data(), self);
}

std::string repr_buffer(const py::object& self) {
  const auto& buffer = self.cast<const Buffer&>();
  return "<reel.Buffer '" + buffer.label() + "', " + std::to_string(buffer.size_bytes()) +
         " bytes, " + str_of(self.attr("dtype")) + " " + str_of(self.attr("shape")) + ">";
}

std::string repr_range(const Range& range) {
  return "<reel.BufferRange bytes " + std::to_string(range.offset_bytes) + " to " +
         std::to_string(range.offset_bytes + range.size_bytes) + " of '" + range.buffer.label() +
         "'>";
}

Binding bind(const py::handle& value, Access access) { return {to_range(value), access}; }

}  // namespace

py::object with_shape(Buffer buffer, const py::object& dtype, const py::object& shape) {
  py::object result = py::cast(std::move(buffer));
  result.attr("dtype") = dtype;
  result.attr("shape") = shape;
  return result;
}

py::object bytes_of_shape(Buffer buffer) {
  const std::uint64_t size_bytes = buffer.size_bytes();
  return with_shape(std::move(buffer), py::dtype("uint8"), py::make_tuple(size_bytes));
}

void bind_buffers(py::module_& module) {
  py::class_<Range, Holder<Range>>(module, "BufferRange", "Bytes of a buffer.")
      .def_property_readonly(
          "buffer", [](const Range& self) { return self.buffer; }, "That it is a part of.")
      .def_readonly("offset_bytes", &Range::offset_bytes, "Where it begins.")
      .def_readonly("size_bytes", &Range::size_bytes, "How long it is.")
      .def(
          "read",
          [](const Range& self, const py::object& dtype) {
            return read_range(self, py::dtype::from_args(dtype), py::none());
          },
          py::arg("dtype") = "uint8", "Waits for the device; a new array.")
      .def("write", &write_range, py::arg("data"), "Waits for the device.")
      .def("__repr__", &repr_range);

  py::class_<Binding, Holder<Binding>>(module, "Binding",
                                       "A range of a buffer, and how a kernel uses it.")
      .def_property_readonly(
          "range", [](const Binding& self) { return self.range; }, "Of which buffer, and where.")
      .def_property_readonly(
          "access", [](const Binding& self) { return to_string(self.access); },
          "What the kernel does with it: \"in\", \"out\" or \"inout\".")
      .def("__repr__", [](const Binding& self) {
        return "<reel.Binding " + std::string(to_string(self.access)) + " " +
               repr_range(self.range) + ">";
      });

  // dtype and shape are attributes: what the buffer was made of, for read() without a type.
  py::class_<Buffer, Holder<Buffer>>(module, "Buffer", py::dynamic_attr(), hidden_while_freed(),
                                     "Memory of a device, with a label.")
      .def_property_readonly(
          "id", [](const Buffer& self) { return static_cast<int>(self.id()); },
          "As documents name it: 7 is b7.")
      .def_property_readonly(
          "label", [](const Buffer& self) { return to_text(self.label()); }, "As it was given.")
      .def_property_readonly("size_bytes", &Buffer::size_bytes, "Of all of it.")
      .def("read", &read_buffer, py::arg("dtype") = py::none(),
           "read($self, dtype=None)\n--\n\nWaits for the device; a new array, of the type and "
           "shape that the buffer was made "
           "with, or of one dimension of another type.")
      .def(
          "write",
          [](const Buffer& self, const py::handle& data, std::uint64_t offset_bytes) {
            write_range({self, offset_bytes, 0}, data);
          },
          py::arg("data"), py::arg("offset_bytes") = 0,
          "write($self, data, offset_bytes=0)\n--\n\nWaits for the device. Any object with the "
          "buffer protocol.")
      .def(
          "range",
          [](const Buffer& self, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
            const BufferRange checked(self, offset_bytes, size_bytes);
            return Range{self, checked.offset_bytes, checked.size_bytes};
          },
          py::arg("offset_bytes"), py::arg("size_bytes"), "A part of it, in bytes.")
      .def("__getitem__", &slice_buffer, py::arg("elements"))
      .def("__len__", &count_elements, "Elements of its type, as slices count them.")
      .def("mapped", &mapped_array,
           "mapped($self)\n--\n\nOf a buffer made by device.host_visible_buffer(): an array over "
           "its memory. Wait for the commands that use it first, and tell of what you wrote by "
           "stream.host_wrote().")
      .def("__array__", &to_array, py::arg("dtype") = py::none(), py::arg("copy") = py::none(),
           "What read() gives, for numpy.asarray(buffer).")
      .def(
          "free",
          [](const Buffer& self) {
            Buffer(self).free();  // this handle stays, so that its use is refused by name
          },
          WithoutGil(), "Forbids further use.")
      .def("__repr__", &repr_buffer);

  module.def(
      "inp", [](const py::handle& value) { return bind(value, Access::read); }, py::arg("buffer"),
      "The kernel reads it.");
  module.def(
      "out", [](const py::handle& value) { return bind(value, Access::write); }, py::arg("buffer"),
      "The kernel writes it.");
  module.def(
      "inout", [](const py::handle& value) { return bind(value, Access::read_write); },
      py::arg("buffer"), "The kernel reads and writes it.");
}

}  // namespace reel::python
