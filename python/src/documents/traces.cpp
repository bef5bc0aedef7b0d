// traces.cpp - a document: its long lists as arrays over the trace's own memory, the short ones as
// dicts.
#include <cstddef>
#include <unordered_map>

#include "python/src/bind.hpp"
#include "python/src/documents/trace_tables.hpp"
#include "python/src/parameters.hpp"
#include "reel/arguments.hpp"
#include "reel/buffer_value.hpp"
#include "reel/error.hpp"
#include "reel/trace.hpp"

namespace reel::python {
namespace {

py::object index_or_none(std::uint32_t index) {
  return index == no_index ? py::object(py::none()) : py::object(py::int_(index));
}

template <class Rows>
py::list list_rows(const Rows& rows) {
  py::list result;
  for (const auto& row : rows) result.append(row_dict(row));
  return result;
}

py::object to_image(const std::optional<ImageShape>& image) {
  if (!image) return py::none();
  py::dict row;
  row["type"] = to_string(image->type);
  row["channel_order"] = to_string(image->channel_order);
  row["channel_type"] = to_string(image->channel_type);
  row["pixel_bytes"] = image->pixel_bytes;
  row["width"] = image->width;
  row["height"] = image->height;
  row["depth"] = image->depth;
  row["layers"] = image->layers;
  row["row_pitch_bytes"] = image->row_pitch_bytes;
  row["format"] = to_text(format_name(*image));
  row["extent"] = to_text(extent_text(*image));
  row["levels"] = image->levels;
  row["samples"] = image->samples;
  row["first_level"] = image->first_level;
  row["first_layer"] = image->first_layer;
  row["swizzle"] = image->swizzle;
  return record("ImageShape", row);
}

py::list list_buffers(const Trace& trace) {
  py::list result;
  for (const TraceBuffer& buffer : trace.buffers()) {
    py::dict row = row_dict(buffer);
    row["image"] = to_image(buffer.image);
    result.append(row);
  }
  return result;
}

py::list list_kernels(const Trace& trace) {
  py::list result;
  for (const TraceKernel& kernel : trace.kernels()) {
    py::dict row = row_dict(kernel);
    py::dict variants;
    for (const TraceVariant& variant : kernel.variants)
      variants[to_text(to_string(variant.form))] =
          variant.blob ? py::object(py::make_tuple(variant.blob->low, variant.blob->high))
                       : py::object(py::none());
    row["variants"] = variants;
    py::dict defines;
    for (const auto& [name, value] : kernel.defines) defines[to_text(name)] = to_text(value);
    row["defines"] = defines;
    py::dict constants;
    for (const auto& [id, value] : kernel.constants) constants[py::int_(id)] = value;
    row["constants"] = constants;
    row["group_size"] = kernel.group_size == unset_dim ? py::object(py::none())
                                                       : py::object(to_tuple(kernel.group_size));
    row["parameters"] = to_parameters(kernel.parameters);
    py::dict counts;
    for (const DescriptorCount& count : kernel.array_counts)
      counts[py::make_tuple(count.set, count.binding)] = count.count;
    row["array_counts"] = counts;
    result.append(row);
  }
  return result;
}

py::dict to_facts(const std::map<std::string, std::string>& facts) {
  py::dict result;
  for (const auto& [name, value] : facts) result[to_text(name)] = to_text(value);
  return result;
}

py::list list_arguments(const Trace& trace, std::size_t work_index) {
  const TraceWork& work = trace.works().at(work_index);
  const auto arguments = trace.arguments(work);
  py::list result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TraceArgument& argument = arguments[i];
    const Parameter* parameter =
        work.kind == WorkKind::dispatch ? parameter_of(trace, work, i) : nullptr;
    py::dict row;
    row["kind"] = to_string(argument.kind);
    row["name"] = parameter ? to_text(parameter->name) : py::str("");
    row["access"] = to_string(argument.access);
    row["buffer"] = index_or_none(argument.buffer);
    row["view"] = index_or_none(argument.view);
    row["offset_bytes"] = argument.offset_bytes;
    row["size_bytes"] = argument.size_bytes;
    row["element"] = parameter && parameter->element
                         ? py::object(py::str(name_of(*parameter->element)))
                         : py::object(py::none());
    if (argument.has_value()) {
      const auto bytes = trace.value_bytes(argument);
      row["bytes"] = py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else {
      row["bytes"] = py::none();
    }
    result.append(row);
  }
  return result;
}

// The name of the type; null: no kernel tells.
const char* element_of(const Trace& trace, std::uint32_t buffer, std::int64_t command) {
  if (command >= static_cast<std::int64_t>(trace.commands().size()))
    throw py::index_error("There is no such command.");
  const auto found = element_in_kernels(
      trace, buffer, command < 0 ? no_index : static_cast<std::uint32_t>(command));
  return found ? name_of(*found).c_str() : nullptr;
}

// An array of str for an array of numbers of texts; equal ones share one object.
py::array list_texts(const Trace& trace, const py::array_t<std::uint32_t>& ids) {
  std::unordered_map<std::uint32_t, py::str> known;
  const auto view = ids.unchecked<1>();
  py::array result(py::dtype("O"), std::vector<py::ssize_t>{ids.size()});
  auto** items = static_cast<PyObject**>(result.mutable_data());
  for (py::ssize_t i = 0; i < ids.size(); ++i) {
    auto found = known.find(view(i));
    if (found == known.end()) found = known.emplace(view(i), to_text(trace.text(view(i)))).first;
    Py_XDECREF(items[i]);
    items[i] = found->second.inc_ref().ptr();
  }
  return result;
}

py::object to_bytes(const std::optional<std::vector<std::byte>>& bytes) {
  if (!bytes) return py::none();
  return py::bytes(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

py::list to_spans(const std::vector<ByteSpan>& spans) {
  py::list result;
  for (const ByteSpan& span : spans) result.append(py::make_tuple(span.begin, span.end));
  return result;
}

// An array of bytes, and the spans of them that aren't known.
py::tuple read_value(const BufferValue& self, std::uint64_t offset_bytes,
                     std::uint64_t size_bytes) {
  BufferValue::Bytes read;
  {
    const GilReleased released;
    read = self.read(offset_bytes, size_bytes);
  }
  const auto spans = to_spans(read.unknown);
  auto* kept = new std::vector<std::byte>(std::move(read.bytes));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<std::byte>*>(p); });
  py::array array(py::dtype("uint8"), {static_cast<py::ssize_t>(kept->size())}, {py::ssize_t{1}},
                  kept->data(), owner);
  return py::make_tuple(array, spans);
}

void bind_buffer_value(py::module_& module) {
  py::class_<BufferValue, Holder<BufferValue>>(module, "BufferValue")
      .def(py::init([](const Trace& trace, std::uint32_t buffer, std::int64_t command) {
             if (buffer >= trace.buffers().size() ||
                 command >= static_cast<std::int64_t>(trace.commands().size()))
               throw py::index_error("There is no such buffer or command.");
             return Holder<BufferValue>(new BufferValue(
                 trace, buffer, command < 0 ? no_index : static_cast<std::uint32_t>(command)));
           }),
           py::arg("trace"), py::arg("buffer"), py::arg("command"), WithoutGil())
      .def_property_readonly("size_bytes", &BufferValue::size_bytes)
      .def("unknown", [](const BufferValue& self) { return to_spans(self.unknown()); })
      .def_property_readonly("unknown_bytes", &BufferValue::unknown_bytes)
      .def("read", &read_value, py::arg("offset_bytes"), py::arg("size_bytes"));
}

}  // namespace

void bind_traces(py::module_& module) {
  py::class_<Trace, Holder<Trace>>(module, "TraceData")
      .def_static("load", &Trace::load, py::arg("path"), WithoutGil())
      .def_property_readonly("path", [](const Trace& self) { return to_text(self.path()); })
      .def_property_readonly("file_bytes", &Trace::file_bytes)
      .def_property_readonly("is_complete", &Trace::is_complete)
      .def("problems", [](const Trace& self) { return to_texts(self.problems()); })
      .def("facts", [](const Trace& self) { return to_facts(self.facts()); })
      .def("run_facts", [](const Trace& self) { return to_facts(self.run_facts()); })
      .def("end_facts", [](const Trace& self) { return to_facts(self.end_facts()); })
      .def("devices", [](const Trace& self) { return list_rows(self.devices()); })
      .def("streams", [](const Trace& self) { return list_rows(self.streams()); })
      .def("buffers", &list_buffers)
      .def("kernels", &list_kernels)
      .def("notes", [](const Trace& self) { return list_rows(self.notes()); })
      .def("table", &trace_table, py::arg("name"),
           "Rows as an array over the trace's memory, which it keeps alive.")
      .def("columns", &trace_columns, py::arg("name"),
           "Of a list: name, kind, words and meaning of each column.")
      .def("work_bytes", &trace_work_bytes)
      .def("own_ns", &trace_own_ns)
      .def("command_regions", &trace_command_regions)
      .def("arguments", &list_arguments, py::arg("work"))
      .def("element_of", &element_of, py::arg("buffer"), py::arg("command"), WithoutGil())
      .def("text", [](const Trace& self, std::uint32_t id) { return to_text(self.text(id)); })
      .def("texts", &list_texts, py::arg("ids"))
      .def("describe_command",
           [](const Trace& self, std::uint32_t index) {
             return to_text(describe_command(self, index));
           })
      .def("describe_buffer",
           [](const Trace& self, std::uint32_t index) {
             return to_text(describe_buffer(self, index));
           })
      .def("blob",
           [](const Trace& self, std::uint64_t low, std::uint64_t high) {
             std::optional<std::vector<std::byte>> bytes;
             {
               const GilReleased released;
               bytes = self.blob({low, high});
             }
             return to_bytes(bytes);
           })
      .def("contents_bytes", [](const Trace& self, std::size_t index) {
        std::optional<std::vector<std::byte>> bytes;
        {
          const GilReleased released;
          bytes = self.bytes(self.contents().at(index));
        }
        return to_bytes(bytes);
      });
  bind_buffer_value(module);

  const auto names = [](auto... values) { return std::vector<std::string>{to_string(values)...}; };
  module.attr("work_kinds") =
      names(WorkKind::dispatch, WorkKind::copy, WorkKind::fill, WorkKind::write, WorkKind::read,
            WorkKind::host_call, WorkKind::barrier, WorkKind::launch, WorkKind::opaque,
            WorkKind::unknown);
  module.attr("content_roles") =
      names(ContentRole::input, ContentRole::written, ContentRole::check);
}

}  // namespace reel::python
