#include "document/columns/batches.hpp"

#include <algorithm>
#include <bit>

#include "document/columns/work_codec.hpp"
#include "opencl/image_formats.hpp"

namespace reel::document {

// Hashes are stored as they lie in memory: low half first, each little-endian.
static_assert(std::endian::native == std::endian::little && sizeof(Hash128) == 16);

namespace {

// 0: not known. The numbers of docs/document-format.md are those of the enumerators and one more.
static_assert(static_cast<int>(ElementType::f32) == 0 && static_cast<int>(ElementType::f64) == 3 &&
              static_cast<int>(ElementType::i32) == 8 && static_cast<int>(ElementType::u64) == 11);
std::uint8_t element_number(std::optional<ElementType> element) {
  return element ? static_cast<std::uint8_t>(static_cast<int>(*element) + 1) : std::uint8_t{0};
}

}  // namespace

void Batches::add_text(std::uint32_t id, std::string_view text) {
  texts_.ids.add(id);
  texts_.strings.emplace_back(text);
}

void Batches::add(const KernelRow& row, std::vector<std::string> blobs) {
  kernels_.push_back({row, std::move(blobs)});
}

void Batches::add(WorkRow row, std::uint32_t id) {
  row.id = id;
  to_file(row);
  works_.works.add(row);
  for (const TraceArgument& argument : row.arguments) works_.arguments.add(argument);
  works_.values.insert(works_.values.end(), row.values.begin(), row.values.end());
}

void Batches::add(const ContentsRow& row) {
  contents_.contents.add(row);
  contents_.pages.insert(contents_.pages.end(), row.pages.begin(), row.pages.end());
}

void Batches::Texts::clear() {
  ids.clear();
  strings.clear();
}
void Batches::Works::clear() {
  works.clear();
  arguments.clear();
  values.clear();
}
void Batches::Contents::clear() {
  contents.clear();
  pages.clear();
}

template <class Self, class Visit>
auto Batches::visit(Self& self, TableId table, Visit visit) {
  switch (table) {
    case TableId::texts:
      return visit(self.texts_);
    case TableId::devices:
      return visit(self.devices_);
    case TableId::streams:
      return visit(self.streams_);
    case TableId::buffers:
      return visit(self.buffers_);
    case TableId::kernels:
      return visit(self.kernels_);
    case TableId::works:
      return visit(self.works_);
    case TableId::commands:
      return visit(self.commands_);
    case TableId::stamps:
      return visit(self.stamps_);
    case TableId::orders:
      return visit(self.orders_);
    case TableId::contents:
      return visit(self.contents_);
    case TableId::calls:
      return visit(self.calls_);
    case TableId::allocations:
      return visit(self.allocations_);
    case TableId::regions:
      return visit(self.regions_);
    case TableId::overheads:
      return visit(self.overheads_);
    case TableId::clocks:
      return visit(self.clocks_);
    case TableId::edges:
      return visit(self.edges_);
    case TableId::submissions:
      return visit(self.submissions_);
    case TableId::barriers:
      return visit(self.barriers_);
    case TableId::intervals:
      return visit(self.intervals_);
    case TableId::host_clocks:
      return visit(self.host_clocks_);
    case TableId::notes:
      break;
  }
  return visit(self.notes_);
}

std::size_t Batches::rows(TableId table) const {
  return visit(*this, table, [](const auto& rows) { return rows.size(); });
}

std::span<const std::byte> Batches::take(TableId table) {
  builder_.Clear();
  visit(*this, table, [&](auto& rows) {
    const Table built = build(rows);
    // A batch has one field for each table, in their order, and one of them is set.
    builder_.Finish(finish_table(builder_, {{static_cast<std::uint8_t>(table), built}}));
    rows.clear();
  });
  return std::as_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
}

flatbuffers::Offset<schema::Device> Batches::build_row(const DeviceRow& row) {
  auto& b = builder_;
  using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
  const auto names_of = [&](const std::vector<std::string>& names) {
    return names.empty() ? flatbuffers::Offset<Names>() : b.CreateVectorOfStrings(names);
  };
  return schema::CreateDevice(b, row.id, b.CreateString(row.selector), b.CreateString(row.backend),
                              b.CreateString(row.name), b.CreateString(row.type),
                              b.CreateString(row.driver), b.CreateString(row.driver_version),
                              b.CreateString(row.api_version), row.memory_bytes, row.compute_units,
                              row.can_stamp_time, row.stamp_resolution_ns, names_of(row.features),
                              names_of(row.extensions));
}

flatbuffers::Offset<schema::Kernel> Batches::build_row(const NamedKernel& kernel) {
  auto& b = builder_;
  const KernelRow& row = kernel.row;
  std::vector<flatbuffers::Offset<schema::Variant>> variants;
  for (std::size_t i = 0; i < row.variants.size(); ++i)
    variants.push_back(schema::CreateVariant(b, b.CreateString(to_string(row.variants[i].form)),
                                             b.CreateString(kernel.blobs[i])));
  std::vector<flatbuffers::Offset<schema::Define>> defines;
  for (const auto& [name, value] : row.defines)
    defines.push_back(schema::CreateDefine(b, b.CreateString(name), b.CreateString(value)));
  std::vector<schema::SpecConstant> constants;
  std::vector<std::uint32_t> constants_high;
  for (const auto& [id, value] : row.constants) {
    constants.emplace_back(id, static_cast<std::uint32_t>(value));
    constants_high.push_back(static_cast<std::uint32_t>(value >> 32));
  }
  if (std::ranges::all_of(constants_high, [](std::uint32_t high) { return high == 0; }))
    constants_high.clear();
  std::vector<schema::DescriptorCount> counts;
  for (const DescriptorCount& c : row.array_counts) counts.emplace_back(c.set, c.binding, c.count);
  std::vector<flatbuffers::Offset<schema::Parameter>> parameters;
  for (const Parameter& p : row.parameters)
    parameters.push_back(schema::CreateParameter(
        b, b.CreateString(p.name),
        static_cast<std::uint8_t>(std::ranges::find(parameter_kinds, p.kind) -
                                  parameter_kinds.begin()),
        static_cast<std::uint8_t>(p.access), p.size_bytes, element_number(p.element),
        static_cast<std::uint8_t>(p.descriptor), p.set, p.binding, p.array_element));
  const std::vector<std::uint32_t> group{row.group_size.x, row.group_size.y, row.group_size.z};
  return schema::CreateKernel(
      b, row.id, row.device, b.CreateString(row.name), b.CreateString(row.entry),
      b.CreateString(to_string(row.built_form)), b.CreateVector(variants), b.CreateVector(defines),
      b.CreateVectorOfStructs(constants), b.CreateString(row.options), b.CreateVector(group),
      b.CreateVector(parameters), b.CreateString(row.build_log), b.CreateString(row.binary_hash),
      constants_high.empty() ? flatbuffers::Offset<flatbuffers::Vector<std::uint32_t>>()
                             : b.CreateVector(constants_high),
      row.declared_layout,
      counts.empty() ? flatbuffers::Offset<flatbuffers::Vector<const schema::DescriptorCount*>>()
                     : b.CreateVectorOfStructs(counts),
      row.subgroup_size, row.full_subgroups);
}

flatbuffers::Offset<schema::Stream> Batches::build_row(const StreamRow& row) {
  return schema::CreateStream(builder_, row.id, row.device, builder_.CreateString(row.label),
                              row.ordered, row.family);
}

flatbuffers::Offset<schema::Buffer> Batches::build_row(const BufferRow& row) {
  const auto label = builder_.CreateString(row.label);
  flatbuffers::Offset<schema::Image> image;
  if (row.image)
    image = schema::CreateImage(
        builder_, static_cast<std::uint8_t>(row.image->type),
        opencl_number(row.image->channel_order), opencl_number(row.image->channel_type),
        row.image->pixel_bytes, row.image->width, row.image->height, row.image->depth,
        row.image->layers, row.image->row_pitch_bytes, row.image->levels, row.image->samples,
        row.image->first_level, row.image->first_layer, row.image->swizzle);
  return schema::CreateBuffer(builder_, row.id, row.device, row.size_bytes, label,
                              static_cast<std::uint8_t>(row.kind), row.starts_undefined, image,
                              row.memory.allocation, row.memory.offset_bytes, row.memory.flags,
                              row.memory.usage, row.memory.address);
}

flatbuffers::Offset<schema::Note> Batches::build_row(const NoteRow& row) {
  return schema::CreateNote(builder_, static_cast<std::int64_t>(row.time_ns),
                            builder_.CreateString(row.kind), builder_.CreateString(row.text));
}

template <class Row>
Batches::Table Batches::build(const std::vector<Row>& rows) {
  std::vector<decltype(build_row(rows[0]))> built;
  built.reserve(rows.size());
  for (const Row& row : rows) built.push_back(build_row(row));
  return finish_table(builder_, {{0, builder_.CreateVector(built).o}});
}

template <const auto& columns>
Batches::Table Batches::build(const ColumnSet<columns>& set) {
  Fields fields;
  set.encode(builder_, fields);
  return finish_table(builder_, std::move(fields));
}

namespace {

flatbuffers::Offset<void> bytes_of(flatbuffers::FlatBufferBuilder& builder,
                                   std::span<const std::byte> bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()).o;
}

}  // namespace

Batches::Table Batches::build(const Texts& texts) {
  Fields fields;
  texts.ids.encode(builder_, fields);
  fields.emplace_back(1, builder_.CreateVectorOfStrings(texts.strings).o);
  return finish_table(builder_, std::move(fields));
}

Batches::Table Batches::build(const Works& works) {
  Fields fields;
  works.works.encode(builder_, fields);
  works.arguments.encode(builder_, fields);
  fields.emplace_back(columns::values.slot, bytes_of(builder_, works.values));
  return finish_table(builder_, std::move(fields));
}

Batches::Table Batches::build(const Contents& contents) {
  Fields fields;
  contents.contents.encode(builder_, fields);
  fields.emplace_back(columns::pages.slot,
                      bytes_of(builder_, std::as_bytes(std::span(contents.pages))));
  return finish_table(builder_, std::move(fields));
}

}  // namespace reel::document
