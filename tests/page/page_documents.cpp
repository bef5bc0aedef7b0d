#include "page_documents.hpp"

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"

namespace reel::test {
namespace {

using namespace reel::document;

constexpr std::uint64_t t0 = sample_start_ns;

void add_device(DocumentWriter& writer, const std::string& name = "Test CPU") {
  writer.add(DeviceRow{0, "host", "host", name, "cpu", "reel", "0.1.0", "", 1u << 30, 2, true, 1});
  writer.add(ClockRow{0, t0, t0, 0});
}

std::uint32_t add_fill(DocumentWriter& writer, const std::string& text = {}) {
  const TraceArgument range{ArgumentKind::buffer, Access::write, 0, 0, 64};
  WorkRow work{};
  work.kind = WorkKind::fill;
  work.label = writer.text(text);
  work.scope = writer.text(text.empty() ? text : "a/" + text + "/b");
  work.pattern = 7;
  work.pattern_bytes = 4;
  work.arguments = std::span(&range, 1);
  return writer.add(work);
}

void add_command(DocumentWriter& writer, std::uint32_t id, std::uint32_t work,
                 std::uint32_t stream = 0, bool stamps = true) {
  const std::uint64_t begin = t0 + id * 1000;
  writer.add(CommandRow{id, work, stream, no_index, no_index, 7, begin, begin + 200});
  if (stamps) writer.add(StampRow{id, begin + 50, begin + 100, begin + 300, begin + 900});
}

}  // namespace

std::string write_hostile(const std::string& path) {
  DocumentWriter writer(path, {{"program", hostile}, {hostile, "1"}});
  add_device(writer, hostile);
  writer.add(StreamRow{0, 0, hostile});
  writer.add(BufferRow{0, 0, 64, hostile});
  KernelRow kernel{};
  kernel.name = kernel.entry = kernel.options = kernel.build_log = hostile;
  kernel.built_form = KernelForm::opencl_c;
  const auto source = bytes_of(hostile);
  kernel.variants = {{KernelForm::opencl_c, {source.begin(), source.end()}}};
  kernel.defines = {{hostile, hostile}};
  kernel.parameters = {{hostile, ArgumentKind::buffer, 0, Access::write, ElementType::f32}};
  writer.add(kernel);
  add_command(writer, 0, add_fill(writer, hostile));
  writer.add(CallRow{writer.text(hostile + "call"), 7, t0, t0 + 10});
  writer.add(RegionRow{TraceRegion::Kind::named, 0, writer.text(hostile), 7, t0, t0 + 10});
  writer.add(NoteRow{t0, hostile, hostile});
  writer.close({{"complete", hostile}});
  return path;
}

std::string write_empty(const std::string& path) {
  DocumentWriter writer(path, {{"program", "nothing"}});
  writer.close({{"complete", "yes"}});
  return path;
}

std::string write_one(const std::string& path, bool stamps) {
  DocumentWriter writer(path, {{"program", "one"}});
  add_device(writer);
  writer.add(StreamRow{0, 0, "main"});
  writer.add(BufferRow{0, 0, 64, "x"});
  add_command(writer, 0, add_fill(writer), 0, stamps);
  writer.close({{"complete", "yes"}});
  return path;
}

std::string write_images(const std::string& path) {
  DocumentWriter writer(path, {{"program", "images"}});
  add_device(writer);
  writer.add(StreamRow{0, 0, "main"});
  BufferRow row{0, 0, 120, "picture"};
  row.kind = BufferKind::image;
  row.image = ImageShape{ImageType::d2, ChannelOrder::rgba, ChannelType::unorm8, 4, 5, 6, 1, 1, 0};
  writer.add(row);
  row = BufferRow{1, 0, 12, "other"};
  row.kind = BufferKind::image;
  row.image = ImageShape{ImageType::d1_array,
                         ChannelOrder{unknown_format | 1},
                         ChannelType{unknown_format | 2},
                         2,
                         3,
                         1,
                         1,
                         2,
                         0};
  writer.add(row);
  add_command(writer, 0, add_fill(writer));
  writer.close({{"complete", "yes"}});
  return path;
}

std::string write_cut(const std::string& path) {
  write_sample(path, false);
  const auto bytes = read_bytes(path);
  write_bytes(path, std::span(bytes).first(bytes.size() * 9 / 10));
  return path;
}

std::string write_streams(const std::string& path, unsigned streams) {
  DocumentWriter writer(path, {{"program", "streams"}});
  add_device(writer);
  writer.add(BufferRow{0, 0, 64, "x"});
  const std::uint32_t fill = add_fill(writer);
  for (std::uint32_t i = 0; i < streams; ++i) {
    writer.add(StreamRow{i, 0, ""});
    add_command(writer, i, fill, i);
  }
  writer.close({{"complete", "yes"}});
  return path;
}

}  // namespace reel::test
