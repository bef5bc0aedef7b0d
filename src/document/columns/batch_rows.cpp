// The tables of a document whose rows are written one by one: few, and with texts of their own.
#include <algorithm>

#include "document/columns/batch_reader.hpp"
#include "document/columns/rows.hpp"
#include "document/trace/loading/blob_index.hpp"
#include "opencl/image_formats.hpp"

namespace reel::document {
namespace {

// A row of the file names its kind by a number, where a newer version may have more.
Access access_of(std::uint8_t value) {
  return value == 1 || value == 2 ? static_cast<Access>(value) : Access::read_write;
}

std::optional<ElementType> element_of(std::uint8_t value) {
  if (value == 0 || value > static_cast<int>(ElementType::hex) + 1) return std::nullopt;
  return static_cast<ElementType>(value - 1);
}

DescriptorKind descriptor_of(std::uint8_t value) {
  return static_cast<DescriptorKind>(
      std::min(value, static_cast<std::uint8_t>(DescriptorKind::other)));
}

}  // namespace

void BatchReader::read(const schema::Texts& batch) {
  if (!batch.text()) return;
  const auto [ids] = decode_apart<columns::texts>("/texts", sizeof(std::string), batch);
  const std::size_t rows = ids.size();
  if (rows != batch.text()->size()) {
    if (rows > 0)
      problems_.left_out("/texts", "the columns of the batch don't fit each other", rows);
    return;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t id = ids[i];
    if (id == 0 || id >= no_index) {
      problems_.left_out("/texts", "the number is not one that a text may have");
      continue;
    }
    tables_.text_ids.push_back(static_cast<std::uint32_t>(id));
    tables_.rows.texts.push_back(text("/texts", batch.text()->Get(static_cast<std::uint32_t>(i))));
  }
}

void BatchReader::read(const schema::Devices& batch) {
  if (!batch.rows()) return;
  for (const schema::Device* row : *batch.rows()) {
    if (!pay("/devices", sizeof(TraceDevice))) return;
    const auto copy = [this](const flatbuffers::String* value) { return text("/devices", value); };
    TraceDevice& device = tables_.rows.devices.emplace_back();
    device.id = row->id();
    device.selector = copy(row->selector());
    device.backend = copy(row->backend());
    device.name = copy(row->name());
    device.type = copy(row->type());
    device.driver = copy(row->driver());
    device.driver_version = copy(row->driver_version());
    device.api_version = copy(row->api_version());
    device.memory_bytes = row->memory_bytes();
    device.compute_units = row->compute_units();
    device.can_stamp_time = row->can_stamp_time();
    device.stamp_resolution_ns = row->stamp_resolution_ns();
    const auto copy_all = [&](const auto* list, std::vector<std::string>& to) {
      if (!list || !pay("/devices", std::uint64_t{list->size()} * sizeof(std::string))) return;
      for (const flatbuffers::String* name : *list) to.push_back(copy(name));
    };
    copy_all(row->features(), device.features);
    copy_all(row->extensions(), device.extensions);
  }
}

void BatchReader::read(const schema::Streams& batch) {
  if (!batch.rows()) return;
  for (const schema::Stream* row : *batch.rows()) {
    if (!pay("/streams", sizeof(TraceStream))) return;
    tables_.rows.streams.push_back(
        {StreamId{row->id()}, row->device(), text("/streams", row->label()), row->ordered(),
         row->family() == no_index ? std::nullopt : std::optional(row->family())});
  }
}

void BatchReader::read(const schema::Buffers& batch) {
  if (!batch.rows()) return;
  for (const schema::Buffer* row : *batch.rows()) {
    if (!pay("/buffers", sizeof(TraceBuffer))) return;
    if (row->kind() > static_cast<std::uint8_t>(BufferKind::svm)) {
      problems_.left_out("/buffers", "the kind is not known to this version");
      continue;
    }
    TraceBuffer buffer;
    buffer.id = BufferId{row->id()};
    buffer.device = row->device();
    buffer.size_bytes = row->size_bytes();
    buffer.label = text("/buffers", row->label());
    buffer.kind = static_cast<BufferKind>(row->kind());
    buffer.starts_undefined = row->starts_undefined();
    if (const schema::Image* image = row->image();
        image && image->type() <= static_cast<std::uint8_t>(ImageType::d3))
      buffer.image = ImageShape{static_cast<ImageType>(image->type()),
                                channel_order_of(image->channel_order()),
                                channel_type_of(image->channel_type()),
                                image->pixel_bytes(),
                                image->width(),
                                image->height(),
                                image->depth(),
                                image->layers(),
                                image->row_pitch_bytes(),
                                image->levels(),
                                image->samples(),
                                image->first_level(),
                                image->first_layer(),
                                image->swizzle()};
    buffer.memory = {row->memory(), row->memory_offset(), row->memory_flags(), row->usage(),
                     row->address()};
    if (buffer.kind != BufferKind::image) {
      buffer.image.reset();
    } else if (!buffer.image || !buffer.image->is_sound() ||
               buffer.image->size_bytes() != buffer.size_bytes) {
      problems_.left_out("/buffers", "an image has a size that no such image has");
      continue;
    }
    tables_.rows.buffers.push_back(std::move(buffer));
  }
}

void BatchReader::read(const schema::Kernels& batch) {
  if (!batch.rows()) return;
  for (const schema::Kernel* row : *batch.rows()) {
    if (!pay("/kernels", sizeof(TraceKernel))) return;
    tables_.rows.kernels.push_back(kernel(*row));
  }
}

TraceKernel BatchReader::kernel(const schema::Kernel& row) {
  const auto copy = [this](const flatbuffers::String* value) { return text("/kernels", value); };
  const auto pay_for = [this](const auto* list, std::size_t item_bytes) {
    return list && pay("/kernels", std::uint64_t{list->size()} * item_bytes);
  };
  TraceKernel kernel;
  kernel.id = KernelId{row.id()};
  kernel.device = row.device();
  kernel.name = copy(row.name());
  kernel.entry = copy(row.entry());
  kernel.built_form = form_of(copy(row.built_form()));
  kernel.options = copy(row.options());
  kernel.build_log = copy(row.build_log());
  kernel.binary_hash = copy(row.binary_hash());
  if (row.group_size() && row.group_size()->size() == 3)
    kernel.group_size = {row.group_size()->Get(0), row.group_size()->Get(1),
                         row.group_size()->Get(2)};
  if (pay_for(row.variants(), sizeof(TraceVariant)))
    for (const schema::Variant* variant : *row.variants()) {
      const std::string blob = copy(variant->blob());
      kernel.variants.push_back({form_of(copy(variant->form())), parse_blob_name(blob)});
      if (!blob.empty() && !kernel.variants.back().blob)
        problems_.left_out("/kernels", "a source is named in a way that names nothing");
    }
  if (pay_for(row.defines(), 2 * sizeof(std::string)))
    for (const schema::Define* define : *row.defines())
      kernel.defines.emplace_back(copy(define->name()), copy(define->value()));
  if (pay_for(row.constants(), sizeof(std::uint64_t)))
    for (const schema::SpecConstant* constant : *row.constants())
      kernel.constants.emplace_back(constant->id(), constant->value());
  if (row.constants_high() && row.constants_high()->size() == kernel.constants.size())
    for (std::size_t i = 0; i < kernel.constants.size(); ++i)
      kernel.constants[i].second |=
          std::uint64_t{row.constants_high()->Get(static_cast<std::uint32_t>(i))} << 32;
  kernel.declared_layout = row.declared_layout();
  kernel.subgroup_size = row.subgroup_size();
  kernel.full_subgroups = row.full_subgroups();
  if (pay_for(row.array_counts(), sizeof(DescriptorCount)))
    for (const schema::DescriptorCount* count : *row.array_counts())
      kernel.array_counts.push_back({count->set(), count->binding(), count->count()});
  if (pay_for(row.parameters(), sizeof(Parameter)))
    for (const schema::Parameter* parameter : *row.parameters())
      kernel.parameters.push_back(
          {copy(parameter->name()),
           parameter->kind() < parameter_kinds.size() ? parameter_kinds[parameter->kind()]
                                                      : ArgumentKind::value,
           parameter->size_bytes(), access_of(parameter->access()),
           element_of(parameter->element()), descriptor_of(parameter->descriptor()),
           parameter->set(), parameter->binding(), parameter->array_element()});
  return kernel;
}

void BatchReader::read(const schema::Notes& batch) {
  if (!batch.rows()) return;
  for (const schema::Note* row : *batch.rows()) {
    if (!pay("/notes", sizeof(TraceNote))) return;
    tables_.rows.notes.push_back({static_cast<std::uint64_t>(row->time_ns()),
                                  text("/notes", row->kind()), text("/notes", row->text())});
  }
}

}  // namespace reel::document
