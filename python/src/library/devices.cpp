#include "python/src/library/host_bytes.hpp"
#include "python/src/library/objects.hpp"
#include "reel/device.hpp"
#include "reel/error.hpp"

namespace reel::python {
namespace {

py::list to_names(const std::vector<KernelForm>& forms) {
  py::list names;
  for (const KernelForm form : forms) names.append(to_string(form));
  return names;
}

py::object describe_device(const DeviceInfo& info) {
  py::dict row;
  row["id"] = to_text(info.id);
  row["backend"] = to_text(info.backend);
  row["name"] = to_text(info.name);
  row["type"] = to_text(info.type);
  row["driver"] = to_text(info.driver);
  row["driver_version"] = to_text(info.driver_version);
  row["api_version"] = to_text(info.api_version);
  row["unavailable"] = to_text(info.unavailable);
  row["memory_bytes"] = info.memory_bytes;
  row["max_buffer_bytes"] = info.max_buffer_bytes;
  row["max_binding_bytes"] = info.max_binding_bytes;
  row["binding_alignment_bytes"] = info.binding_alignment_bytes;
  row["compute_units"] = info.compute_units;
  row["max_group_items"] = info.max_group_items;
  row["max_group_size"] = to_tuple(info.max_group_size);
  row["max_groups"] = to_tuple(info.max_groups);
  row["max_shared_bytes"] = info.max_shared_bytes;
  row["can_stamp_time"] = info.can_stamp_time;
  row["stamp_resolution_ns"] = info.stamp_resolution_ns;
  row["can_dispatch_indirect"] = info.can_dispatch_indirect;
  row["can_dispatch_conditionally"] = info.can_dispatch_conditionally;
  row["takes_images"] = info.takes_images;
  row["maps_memory"] = info.maps_memory;
  row["takes_stream_priority"] = info.takes_stream_priority;
  row["takes_free_grids"] = info.takes_free_grids;
  row["takes_partial_groups"] = info.takes_partial_groups;
  row["kernel_forms"] = to_names(info.kernel_forms);
  return record("DeviceInfo", row);
}

py::list list_devices() {
  std::vector<DeviceInfo> found;
  {
    const GilReleased released;
    found = devices();
  }
  py::list result;
  for (const DeviceInfo& info : found) result.append(describe_device(info));
  return result;
}

// Of so many bytes, zeros of a shape and type, or a copy of an array.
py::object make_buffer(const Device& device, const py::object& data, const std::string& label,
                       const py::object& dtype, const py::object& size_bytes) {
  if (data.is_none() == size_bytes.is_none())
    throw py::type_error("A buffer is made of an array, a shape with its dtype, or size_bytes.");
  if (!size_bytes.is_none()) {
    if (!dtype.is_none())
      throw py::type_error("A buffer of size_bytes has bytes; a dtype goes with a shape.");
    return make_buffer(device, size_bytes, label, py::dtype("uint8"), py::none());
  }
  const bool is_size = PyIndex_Check(data.ptr()) && !PyBool_Check(data.ptr()) &&
                       !py::hasattr(data, "__array_interface__");
  if (is_size || PyTuple_Check(data.ptr())) {
    if (dtype.is_none())
      throw py::type_error("device.buffer(" + repr_of(data) +
                           ") leaves open what it counts: give size_bytes=… for bytes, or a dtype "
                           "for elements.");
    const py::object type = py::dtype::from_args(dtype);
    const py::object shape = is_size ? py::make_tuple(data) : data;
    std::uint64_t bytes = type.attr("itemsize").cast<std::uint64_t>();
    for (const auto& length : shape) {
      if (!PyIndex_Check(length.ptr()))
        throw py::type_error("The shape of a buffer has ints, not " + repr_of(length) + ".");
      int overflow = 0;
      const std::int64_t count = PyLong_AsLongLongAndOverflow(
          py::reinterpret_steal<py::object>(PyNumber_Index(length.ptr())).ptr(), &overflow);
      if (PyErr_Occurred()) throw py::error_already_set();
      if (count < 0 && overflow <= 0)
        throw py::value_error("A buffer can't have the shape " + str_of(shape) + ".");
      if (overflow > 0)
        throw Error(Code::out_of_memory, "Buffer '" + label + "' of shape " + str_of(shape) +
                                             " is larger than any device allows.");
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(count), &bytes))
        bytes = ~std::uint64_t{0};  // more than any device has, which it says
    }
    Buffer buffer;
    {
      const GilReleased released;
      buffer = device.buffer(bytes, label);
    }
    return with_shape(std::move(buffer), type, shape);
  }
  if (!dtype.is_none())
    throw py::type_error(
        "dtype is for a buffer made of a size or shape; this one has the type of its array.");
  const BytesToRead source(data);
  Buffer buffer;
  {
    const GilReleased released;
    buffer = device.buffer(source.bytes().size(), label);
    buffer.write_bytes(source.bytes());
  }
  if (py::hasattr(data, "dtype"))
    return with_shape(std::move(buffer), data.attr("dtype"), data.attr("shape"));
  return bytes_of_shape(std::move(buffer));
}

py::object make_shared_virtual(const Device& device, std::uint64_t size_bytes,
                               const std::string& label) {
  Buffer buffer;
  {
    const GilReleased released;
    buffer = device.shared_virtual_buffer(size_bytes, label);
  }
  return bytes_of_shape(std::move(buffer));
}

ImageType to_image_type(const std::string& name) {
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(ImageType::d3); ++i)
    if (name == to_string(static_cast<ImageType>(i))) return static_cast<ImageType>(i);
  throw py::value_error(
      "An image is '1d', '1d_buffer', '1d_array', '2d', '2d_array' or '3d', not '" + name + "'.");
}

ImageShape to_image_shape(const std::string& type, const std::string& channel_order,
                          const std::string& channel_type, std::uint64_t width,
                          std::uint64_t height, std::uint64_t depth, std::uint64_t layers,
                          std::uint64_t row_pitch_bytes) {
  ImageShape shape;
  shape.type = to_image_type(type);
  shape.channel_order = parse_channel_order(channel_order);
  shape.channel_type = parse_channel_type(channel_type);
  shape.pixel_bytes = pixel_bytes_of(shape.channel_order, shape.channel_type);
  if (shape.pixel_bytes == 0)
    throw py::value_error("'" + channel_order + "' of '" + channel_type +
                          "' is no format of pixels; 'RGBA' of '8 unorm' is one, or 'R' of '32 "
                          "float'.");
  shape.width = width;
  shape.height = height;
  shape.depth = depth;
  shape.layers = layers;
  shape.row_pitch_bytes = row_pitch_bytes;
  return shape;
}

py::object make_image(const Device& device, std::uint64_t width, std::uint64_t height,
                      std::uint64_t depth, std::uint64_t layers, const std::string& type,
                      const std::string& channel_order, const std::string& channel_type,
                      const std::string& label) {
  const ImageShape shape =
      to_image_shape(type, channel_order, channel_type, width, height, depth, layers, 0);
  Buffer buffer;
  {
    const GilReleased released;
    buffer = device.image_buffer(shape, label);
  }
  return bytes_of_shape(std::move(buffer));
}

py::object make_view(const Device& device, const py::handle& storage, std::uint64_t width,
                     std::uint64_t height, std::uint64_t depth, std::uint64_t layers,
                     const std::string& type, const std::string& channel_order,
                     const std::string& channel_type, std::uint64_t row_pitch_bytes,
                     const std::string& label) {
  const Range range = to_range(storage);
  const ImageShape shape = to_image_shape(type, channel_order, channel_type, width, height, depth,
                                          layers, row_pitch_bytes);
  Buffer buffer;
  {
    const GilReleased released;
    buffer = device.image_view(range, shape, label);
  }
  return bytes_of_shape(std::move(buffer));
}

py::object make_host_visible(const Device& device, std::uint64_t size_bytes,
                             const std::string& label) {
  Buffer buffer;
  {
    const GilReleased released;
    buffer = device.host_visible_buffer(size_bytes, label);
  }
  return bytes_of_shape(std::move(buffer));
}

StreamPriority to_priority(const std::string& name) {
  if (name == "low") return StreamPriority::low;
  if (name == "normal") return StreamPriority::normal;
  if (name == "high") return StreamPriority::high;
  throw py::value_error("The priority of a stream is 'low', 'normal' or 'high', not '" + name +
                        "'.");
}

}  // namespace

void bind_devices(py::module_& module) {
  py::class_<Device, Holder<Device>>(module, "Device", "Something that runs kernels.")
      .def_property_readonly(
          "info", [](const Device& self) { return describe_device(self.info()); },
          "What it is and what it can do: a DeviceInfo.")
      .def_property_readonly(
          "id", [](const Device& self) { return to_text(self.info().id); },
          "What open_device() takes: \"opencl:0\".")
      .def_property_readonly(
          "name", [](const Device& self) { return to_text(self.info().name); },
          "As its driver calls it.")
      .def("buffer", &make_buffer, py::arg("data") = py::none(), py::arg("label") = "",
           py::arg("dtype") = py::none(), py::kw_only(), py::arg("size_bytes") = py::none(),
           R"doc(buffer($self, data=None, label='', dtype=None, *, size_bytes=None)
--

A copy of an array; of a shape or a number of elements, zeros of `dtype`; so many zero bytes.

>>> x = device.buffer(np.arange(1024, dtype=np.float32), "x")
>>> y = device.buffer((32, 32), "y", dtype=np.float32)
>>> z = device.buffer(label="z", size_bytes=4096)
)doc")
      .def("shared_virtual_buffer", &make_shared_virtual, py::kw_only(), py::arg("size_bytes"),
           py::arg("label") = "",
           "shared_virtual_buffer($self, *, size_bytes, label='')\n--\n\nZero bytes whose ranges "
           "may be bound wherever they begin, where the device can do that.")
      .def("host_visible_buffer", &make_host_visible, py::kw_only(), py::arg("size_bytes"),
           py::arg("label") = "",
           "host_visible_buffer($self, *, size_bytes, label='')\n--\n\nZero bytes that the host "
           "sees by buffer.mapped(), where device.info.maps_memory.")
      .def(
          "image_buffer", &make_image, py::arg("width"), py::arg("height") = 1,
          py::arg("depth") = 1, py::arg("layers") = 1, py::kw_only(), py::arg("type") = "2d",
          py::arg("channel_order") = "RGBA", py::arg("channel_type") = "8 unorm",
          py::arg("label") = "",
          R"doc(image_buffer($self, width, height=1, depth=1, layers=1, *, type='2d', channel_order='RGBA', channel_type='8 unorm', label='')
--

An image of zeros, where device.info.takes_images. Its bytes are its pixels, row after row.

>>> picture = device.image_buffer(640, 480, channel_type="32 float", label="picture")
)doc")
      .def("image_view", &make_view, py::arg("storage"), py::arg("width"), py::arg("height") = 1,
           py::arg("depth") = 1, py::arg("layers") = 1, py::kw_only(), py::arg("type") = "2d",
           py::arg("channel_order") = "RGBA", py::arg("channel_type") = "8 unorm",
           py::arg("row_pitch_bytes") = 0, py::arg("label") = "",
           "image_view($self, storage, width, height=1, depth=1, layers=1, *, type='2d', "
           "channel_order='RGBA', channel_type='8 unorm', row_pitch_bytes=0, label='')\n--\n\nAn "
           "image over the bytes of an existing buffer.")
      .def(
          "stream",
          [](const Device& self, const std::string& label, const std::string& priority) {
            const StreamPriority wish = to_priority(priority);
            const GilReleased released;
            return PyStream{self.stream({.label = label, .priority = wish})};
          },
          py::arg("label") = "", py::arg("priority") = "normal",
          "stream($self, label='', priority='normal')\n--\n\nThe priority, 'low', 'normal' or "
          "'high', is a wish where the device takes it.")
      .def(
          "event", [](const Device& self, const std::string& label) { return self.event(label); },
          py::arg("label") = "", WithoutGil(), "A new event.")
      .def("synchronize", &Device::synchronize, WithoutGil(), "Waits for every stream.")
      .def("__eq__", [](const Device& a, const Device& b) { return a == b; })
      .def("__eq__", [](const Device&, const py::object&) { return false; })
      .def("__hash__", [](const Device& self) { return std::hash<Device>()(self); })
      .def("__repr__", [](const Device& self) {
        return "<reel.Device " + self.info().id + ", " + self.info().name + ">";
      });
  module.def(
      "devices", &list_devices,
      "devices()\n--\n\nEverything that can be opened here, and what can't with the reason.");
  module.def(
      "open_device", [](const std::string& selector) { return open_device(selector); },
      py::arg("selector") = "", WithoutGil(),
      R"doc(open_device(selector='')
--

"host", "opencl", "opencl:0", "vulkan:llvmpipe" (part of the name), or "" for $REEL_DEVICE and,
where that is unset, the best one here.
)doc");
}

}  // namespace reel::python
