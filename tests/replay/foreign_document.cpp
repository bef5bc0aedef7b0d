#include "replay/foreign_document.hpp"

#include <gtest/gtest.h>

namespace reel::test {

using namespace document;

namespace {

Given range(Access access, std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
  return {{ArgumentKind::buffer, access, buffer, offset, size}};
}

Given other(ArgumentKind kind, Bytes bytes = {}) {
  const std::uint64_t size = bytes.size();
  return {{kind, Access::read, no_index, 0, size}, std::move(bytes)};
}

}  // namespace

Given in(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
  return range(Access::read, buffer, offset, size);
}
Given out(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
  return range(Access::write, buffer, offset, size);
}
Given both(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
  return range(Access::read_write, buffer, offset, size);
}
Given as_image(Given range, std::uint32_t view) {
  range.row.view = view;
  return range;
}
Given bytes_value(Bytes bytes) { return other(ArgumentKind::value, std::move(bytes)); }
Given sampler(std::uint32_t normalized, std::uint32_t addressing, std::uint32_t filter) {
  return other(ArgumentKind::sampler,
               bytes_of_all(std::vector<std::uint32_t>{normalized, addressing, filter}));
}
Given null_pointer() { return other(ArgumentKind::null); }
Given opaque() { return other(ArgumentKind::opaque); }

ForeignDocument::ForeignDocument(std::string path, const DeviceInfo& device, std::uint32_t devices,
                                 Facts facts)
    : path_(std::move(path)), writer_(std::make_unique<DocumentWriter>(path_, facts)) {
  for (std::uint32_t i = 0; i < devices; ++i)
    writer_->add(DeviceRow{i, device.id, device.backend, device.name, device.type, device.driver,
                           device.driver_version, device.api_version, device.memory_bytes,
                           device.compute_units, device.can_stamp_time,
                           device.stamp_resolution_ns});
  writer_->add(StreamRow{0, 0, "queue"});
}

std::uint32_t ForeignDocument::stream(std::uint32_t device) {
  writer_->add(StreamRow{streams_, device, "queue"});
  return streams_++;
}

std::uint32_t ForeignDocument::add(BufferRow row, const Bytes& bytes) {
  row.id = buffers_++;
  row.label = "m" + std::to_string(row.id);
  writer_->add(row);
  if (bytes.empty())
    writer_->add(AllocationRow{false, row.id, 1000});
  else
    contents(ContentRole::input, no_index, row.id, 0, bytes);
  return row.id;
}

std::uint32_t ForeignDocument::buffer(std::uint64_t size, Bytes bytes, BufferKind kind,
                                      std::uint32_t device) {
  BufferRow row{0, device, size, ""};
  row.kind = kind;
  return add(row, bytes);
}

std::uint32_t ForeignDocument::undefined_buffer(std::uint64_t size) {
  BufferRow row{0, 0, size, ""};
  row.starts_undefined = true;
  return add(row, {});
}

std::uint32_t ForeignDocument::image(const ImageShape& shape, Bytes bytes) {
  BufferRow row{0, 0, shape.size_bytes(), ""};
  row.kind = BufferKind::image;
  row.image = shape;
  return add(row, bytes);
}

std::uint32_t ForeignDocument::view(const ImageShape& shape) { return image(shape); }

std::uint32_t ForeignDocument::kernel(const std::string& name, const std::string& source,
                                      KernelForm form, const std::string& options) {
  KernelRow row{};
  row.id = kernels_++;
  row.name = row.entry = name;
  row.built_form = form;
  const auto bytes = std::as_bytes(std::span(source));
  row.variants = {{form, {bytes.begin(), bytes.end()}}};
  row.options = options;
  row.group_size = unset_dim;
  writer_->add(row);
  return row.id;
}

std::uint32_t ForeignDocument::add(WorkRow row, const std::vector<Given>& arguments,
                                   std::uint32_t stream) {
  std::vector<TraceArgument> rows;
  Bytes values;
  for (const Given& given : arguments) {
    rows.push_back(given.row);
    values.insert(values.end(), given.value.begin(), given.value.end());
  }
  row.arguments = rows;
  row.values = values;
  const std::uint32_t id = commands_++;
  writer_->add(CommandRow{.id = id,
                          .work = writer_->add(row),
                          .stream = stream,
                          .launch = no_index,
                          .node = no_index,
                          .thread = 1,
                          .call_begin_ns = 2000 + id,
                          .call_end_ns = 2001 + id});
  return id;
}

std::uint32_t ForeignDocument::dispatch(std::uint32_t kernel, const Grid& grid,
                                        std::vector<Given> arguments, std::uint32_t stream) {
  WorkRow row;
  row.kind = WorkKind::dispatch;
  row.kernel = kernel;
  row.groups = grid.groups;
  row.group_size = grid.group_size;
  row.offset = grid.offset;
  row.items = grid.items;
  return add(row, arguments, stream);
}

std::uint32_t ForeignDocument::work(WorkKind kind, std::vector<Given> ranges, std::uint32_t pattern,
                                    std::uint32_t pattern_bytes) {
  WorkRow row;
  row.kind = kind;
  row.pattern = pattern;
  row.pattern_bytes = pattern_bytes;
  return add(row, ranges, 0);
}

void ForeignDocument::contents(ContentRole role, std::uint32_t command, std::uint32_t buffer,
                               std::uint64_t offset, const Bytes& bytes, bool stored,
                               CheckMoment moment) {
  std::vector<Hash128> pages;
  for (std::size_t at = 0; at < bytes.size(); at += page_bytes) {
    const auto page =
        std::span(bytes).subspan(at, std::min<std::size_t>(page_bytes, bytes.size() - at));
    pages.push_back(hash128(page));
    if (stored) writer_->blob(pages.back(), page);
  }
  writer_->add(ContentsRow{role, command, buffer, offset, bytes.size(), stored, pages, moment});
}

void ForeignDocument::stamp(std::uint32_t command, std::uint64_t started_ns,
                            std::uint64_t ended_ns) {
  if (!has_clock_) writer_->add(ClockRow{0, 1, 1, 1});
  has_clock_ = true;
  writer_->add(StampRow{command, started_ns, started_ns, started_ns, ended_ns});
}

void ForeignDocument::note(const std::string& kind, const std::string& text) {
  writer_->add(NoteRow{5000, kind, text});
}

Trace ForeignDocument::load() {
  writer_->close({{"commands", std::to_string(commands_)}, {"complete", "yes"}});
  Trace trace = Trace::load(path_);
  EXPECT_TRUE(trace.problems().empty()) << trace.problems().front();
  return trace;
}

}  // namespace reel::test
