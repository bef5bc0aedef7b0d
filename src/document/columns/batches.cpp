#include "document/columns/batches.hpp"

#include <bit>

#include "document/columns/work_codec.hpp"

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
  text_ids_.add(id);
  texts_.emplace_back(text);
}

void Batches::add(const KernelRow& row, std::vector<std::string> blobs) {
  kernels_.push_back({row, std::move(blobs)});
}

void Batches::add(const WorkRow& row, std::uint32_t id) {
  const StoredGrid grid = stored_grid(row);
  const Dim3 &groups = grid.groups, &items = grid.items;
  works_.add(id, static_cast<std::uint8_t>(row.kind),
             row.kind == WorkKind::launch ? row.graph : row.kernel, row.label, row.scope, groups.x,
             groups.y, groups.z, row.group_size.x, row.group_size.y, row.group_size.z,
             row.pattern | std::uint64_t{row.pattern_bytes} << 32, row.arguments.size(),
             row.offset.x, row.offset.y, row.offset.z, items.x, items.y, items.z, row.dimensions);
  for (const TraceArgument& a : row.arguments)
    arguments_.add(static_cast<std::uint8_t>(a.kind), static_cast<std::uint8_t>(a.access), a.buffer,
                   a.offset_bytes, a.size_bytes, a.view);
  values_.insert(values_.end(), row.values.begin(), row.values.end());
}

void Batches::add(const CommandRow& row) {
  commands_.add(row.id, row.work, row.stream, row.launch, row.node, row.thread, row.call_begin_ns,
                row.call_end_ns - row.call_begin_ns);
}

void Batches::add(const StampRow& row) {
  const unsigned known = (row.queued_ns ? 1u : 0u) | (row.submitted_ns ? 2u : 0u) |
                         (row.started_ns ? 4u : 0u) | (row.ended_ns ? 8u : 0u);
  // Missing times repeat the one before, which costs nothing.
  const std::uint64_t queued = row.queued_ns;
  const std::uint64_t submitted = row.submitted_ns ? row.submitted_ns : queued;
  const std::uint64_t started = row.started_ns ? row.started_ns : submitted;
  const std::uint64_t ended = row.ended_ns ? row.ended_ns : started;
  stamps_.add(row.command, known, queued, submitted - queued, started - submitted, ended - started);
}

void Batches::add(const ContentsRow& row) {
  contents_.add(static_cast<std::uint8_t>(row.role), row.command, row.buffer, row.offset_bytes,
                row.size_bytes, row.stored, row.pages.size());
  pages_.insert(pages_.end(), row.pages.begin(), row.pages.end());
}

void Batches::add(const CallRow& row) {
  calls_.add(row.name, row.thread, row.begin_ns, row.end_ns - row.begin_ns, row.command);
}

void Batches::add(const RegionRow& row) {
  regions_.add(static_cast<std::uint8_t>(row.kind), row.number, row.name, row.thread, row.begin_ns,
               row.end_ns - row.begin_ns);
}

void Batches::add(const OverheadRow& row) {
  overheads_.add(static_cast<std::uint8_t>(row.kind), row.thread, row.begin_ns,
                 row.end_ns - row.begin_ns, row.bytes);
}

void Batches::add(const ClockRow& row) {
  clocks_.add(row.device, row.host_ns, row.device_ns, row.error_ns);
}

std::size_t Batches::rows(TableId table) const {
  switch (table) {
    case TableId::texts:
      return texts_.size();
    case TableId::devices:
      return devices_.size();
    case TableId::streams:
      return streams_.size();
    case TableId::buffers:
      return buffers_.size();
    case TableId::kernels:
      return kernels_.size();
    case TableId::works:
      return works_.rows();
    case TableId::commands:
      return commands_.rows();
    case TableId::stamps:
      return stamps_.rows();
    case TableId::orders:
      return orders_.rows();
    case TableId::contents:
      return contents_.rows();
    case TableId::calls:
      return calls_.rows();
    case TableId::allocations:
      return allocations_.rows();
    case TableId::regions:
      return regions_.rows();
    case TableId::overheads:
      return overheads_.rows();
    case TableId::clocks:
      return clocks_.rows();
    case TableId::edges:
      return edges_.rows();
    case TableId::notes:
      return notes_.size();
  }
  return 0;
}

std::span<const std::byte> Batches::take(TableId table) {
  builder_.Clear();
  builder_.Finish(build(table));
  clear(table);
  return std::as_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
}

flatbuffers::Offset<schema::Device> Batches::build(const DeviceRow& row) {
  auto& b = builder_;
  return schema::CreateDevice(b, row.id, b.CreateString(row.selector), b.CreateString(row.backend),
                              b.CreateString(row.name), b.CreateString(row.type),
                              b.CreateString(row.driver), b.CreateString(row.driver_version),
                              b.CreateString(row.api_version), row.memory_bytes, row.compute_units,
                              row.can_stamp_time, row.stamp_resolution_ns);
}

flatbuffers::Offset<schema::Kernel> Batches::build(const NamedKernel& kernel) {
  auto& b = builder_;
  const KernelRow& row = kernel.row;
  std::vector<flatbuffers::Offset<schema::Variant>> variants;
  for (std::size_t i = 0; i < row.variants.size(); ++i)
    variants.push_back(schema::CreateVariant(b, b.CreateString(row.variants[i].form),
                                             b.CreateString(kernel.blobs[i])));
  std::vector<flatbuffers::Offset<schema::Define>> defines;
  for (const auto& [name, value] : row.defines)
    defines.push_back(schema::CreateDefine(b, b.CreateString(name), b.CreateString(value)));
  std::vector<schema::SpecConstant> constants;
  for (const auto& [id, value] : row.constants) constants.emplace_back(id, value);
  std::vector<flatbuffers::Offset<schema::Parameter>> parameters;
  for (const Parameter& p : row.parameters)
    parameters.push_back(schema::CreateParameter(
        b, b.CreateString(p.name), static_cast<std::uint8_t>(p.kind),
        static_cast<std::uint8_t>(p.access), p.size_bytes, element_number(p.element)));
  const std::vector<std::uint32_t> group{row.group_size.x, row.group_size.y, row.group_size.z};
  return schema::CreateKernel(
      b, row.id, row.device, b.CreateString(row.name), b.CreateString(row.entry),
      b.CreateString(row.built_form), b.CreateVector(variants), b.CreateVector(defines),
      b.CreateVectorOfStructs(constants), b.CreateString(row.options), b.CreateVector(group),
      b.CreateVector(parameters), b.CreateString(row.build_log), b.CreateString(row.binary_hash));
}

namespace {

template <class Row, class Build>
auto build_rows(flatbuffers::FlatBufferBuilder& builder, const std::vector<Row>& rows,
                Build&& build) {
  std::vector<decltype(build(rows[0]))> built;
  built.reserve(rows.size());
  for (const Row& row : rows) built.push_back(build(row));
  return builder.CreateVector(built);
}

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes_of(
    flatbuffers::FlatBufferBuilder& builder, std::span<const std::byte> bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

flatbuffers::Offset<schema::Batch> Batches::build(TableId table) {
  auto& b = builder_;
  // Tables must be finished before the batch that holds them is begun, so each case builds its
  // table first.
  const auto batch = [&](auto set) {
    schema::BatchBuilder whole(b);
    set(whole);
    return whole.Finish();
  };
  switch (table) {
    case TableId::texts: {
      const auto ids = text_ids_.encode(b);
      const auto t = schema::CreateTexts(b, ids[0], b.CreateVectorOfStrings(texts_));
      return batch([&](auto& w) { w.add_texts(t); });
    }
    case TableId::devices: {
      const auto rows = build_rows(b, devices_, [&](const DeviceRow& r) { return build(r); });
      const auto t = schema::CreateDevices(b, rows);
      return batch([&](auto& w) { w.add_devices(t); });
    }
    case TableId::streams: {
      const auto rows = build_rows(b, streams_, [&](const StreamRow& r) {
        return schema::CreateStream(b, r.id, r.device, b.CreateString(r.label));
      });
      const auto t = schema::CreateStreams(b, rows);
      return batch([&](auto& w) { w.add_streams(t); });
    }
    case TableId::buffers: {
      const auto rows = build_rows(b, buffers_, [&](const BufferRow& r) {
        const auto label = b.CreateString(r.label);
        flatbuffers::Offset<schema::Image> image;
        if (r.image)
          image = schema::CreateImage(b, static_cast<std::uint8_t>(r.image->type),
                                      r.image->channel_order, r.image->channel_type,
                                      r.image->pixel_bytes, r.image->width, r.image->height,
                                      r.image->depth, r.image->layers, r.image->row_pitch_bytes);
        return schema::CreateBuffer(b, r.id, r.device, r.size_bytes, label,
                                    static_cast<std::uint8_t>(r.kind), r.starts_undefined, image);
      });
      const auto t = schema::CreateBuffers(b, rows);
      return batch([&](auto& w) { w.add_buffers(t); });
    }
    case TableId::kernels: {
      const auto rows = build_rows(b, kernels_, [&](const NamedKernel& k) { return build(k); });
      const auto t = schema::CreateKernels(b, rows);
      return batch([&](auto& w) { w.add_kernels(t); });
    }
    case TableId::works: {
      const auto c = works_.encode(b);
      const auto a = arguments_.encode(b);
      const auto t =
          schema::CreateWorks(b, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10],
                              c[11], c[12], a[0], a[1], a[2], a[3], a[4], bytes_of(b, values_),
                              c[13], c[14], c[15], c[16], c[17], c[18], a[5], c[19]);
      return batch([&](auto& w) { w.add_works(t); });
    }
    case TableId::commands: {
      const auto c = commands_.encode(b);
      const auto t = schema::CreateCommands(b, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
      return batch([&](auto& w) { w.add_commands(t); });
    }
    case TableId::stamps: {
      const auto c = stamps_.encode(b);
      const auto t = schema::CreateStamps(b, c[0], c[1], c[2], c[3], c[4], c[5]);
      return batch([&](auto& w) { w.add_stamps(t); });
    }
    case TableId::orders: {
      const auto c = orders_.encode(b);
      const auto t = schema::CreateOrders(b, c[0], c[1], c[2]);
      return batch([&](auto& w) { w.add_orders(t); });
    }
    case TableId::contents: {
      const auto c = contents_.encode(b);
      const auto t = schema::CreateContents(b, c[0], c[1], c[2], c[3], c[4], c[5], c[6],
                                            bytes_of(b, std::as_bytes(std::span(pages_))));
      return batch([&](auto& w) { w.add_contents(t); });
    }
    case TableId::calls: {
      const auto c = calls_.encode(b);
      const auto t = schema::CreateCalls(b, c[0], c[1], c[2], c[3], c[4]);
      return batch([&](auto& w) { w.add_calls(t); });
    }
    case TableId::allocations: {
      const auto c = allocations_.encode(b);
      const auto t = schema::CreateAllocations(b, c[0], c[1], c[2]);
      return batch([&](auto& w) { w.add_allocations(t); });
    }
    case TableId::regions: {
      const auto c = regions_.encode(b);
      const auto t = schema::CreateRegions(b, c[0], c[1], c[2], c[3], c[4], c[5]);
      return batch([&](auto& w) { w.add_regions(t); });
    }
    case TableId::overheads: {
      const auto c = overheads_.encode(b);
      const auto t = schema::CreateOverheads(b, c[0], c[1], c[2], c[3], c[4]);
      return batch([&](auto& w) { w.add_overheads(t); });
    }
    case TableId::clocks: {
      const auto c = clocks_.encode(b);
      const auto t = schema::CreateClocks(b, c[0], c[1], c[2], c[3]);
      return batch([&](auto& w) { w.add_clocks(t); });
    }
    case TableId::edges: {
      const auto c = edges_.encode(b);
      const auto t = schema::CreateEdges(b, c[0], c[1], c[2], c[3]);
      return batch([&](auto& w) { w.add_edges(t); });
    }
    case TableId::notes: {
      const auto rows = build_rows(b, notes_, [&](const NoteRow& r) {
        return schema::CreateNote(b, static_cast<std::int64_t>(r.time_ns), b.CreateString(r.kind),
                                  b.CreateString(r.text));
      });
      const auto t = schema::CreateNotes(b, rows);
      return batch([&](auto& w) { w.add_notes(t); });
    }
  }
  return {};
}

void Batches::clear(TableId table) {
  switch (table) {
    case TableId::texts:
      text_ids_.clear();
      texts_.clear();
      break;
    case TableId::devices:
      devices_.clear();
      break;
    case TableId::streams:
      streams_.clear();
      break;
    case TableId::buffers:
      buffers_.clear();
      break;
    case TableId::kernels:
      kernels_.clear();
      break;
    case TableId::works:
      works_.clear();
      arguments_.clear();
      values_.clear();
      break;
    case TableId::commands:
      commands_.clear();
      break;
    case TableId::stamps:
      stamps_.clear();
      break;
    case TableId::orders:
      orders_.clear();
      break;
    case TableId::contents:
      contents_.clear();
      pages_.clear();
      break;
    case TableId::calls:
      calls_.clear();
      break;
    case TableId::allocations:
      allocations_.clear();
      break;
    case TableId::regions:
      regions_.clear();
      break;
    case TableId::overheads:
      overheads_.clear();
      break;
    case TableId::clocks:
      clocks_.clear();
      break;
    case TableId::edges:
      edges_.clear();
      break;
    case TableId::notes:
      notes_.clear();
      break;
  }
}

}  // namespace reel::document
