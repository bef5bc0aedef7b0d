// trace_corpus.cpp <folder> - writes what fuzz/corpus/trace and fuzz/corpus/batch began with: small
// documents, whole and cut, and the batches of one. Inputs that libFuzzer found are kept beside
// them.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/handles.hpp"
#include "document/document_writer.hpp"
#include "document/files/input_file.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "graph/commands/resource.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

using namespace document;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

void write(const std::string& path, std::uint32_t commands, bool close) {
  DocumentWriter w(path, {{"program", "fuzz"}}, {.overwrite = true, .zstd_level = -50});
  w.add(DeviceRow{0, "host", "host", "CPU", "cpu", "reel", "1", "", 1, 1, true, 1});
  w.add(ClockRow{0, 1000, 1000, 5});
  w.add(ClockRow{0, 2000, 2100, 5});
  w.add(StreamRow{0, 0, "main"});
  w.add(StreamRow{1, 0, "side"});
  w.add(BufferRow{0, 0, 16, "x"});
  w.add(BufferRow{1, 0, 64, "y"});
  w.add(AllocationRow{false, 1, 900});
  BufferRow image{2, 0, 32, "image"};
  image.kind = BufferKind::image;
  image.image =
      ImageShape{ImageType::d2, ChannelOrder::rgba, ChannelType::unorm8, 4, 4, 2, 1, 1, 0};
  w.add(image);
  KernelRow kernel{};
  kernel.id = 2;
  kernel.name = "add";
  const auto source = bytes_of("kernel void add() {}");
  kernel.variants = {{KernelForm::opencl_c, {source.begin(), source.end()}},
                     {KernelForm::host, {}}};
  kernel.defines = {{"N", "4"}};
  kernel.constants = {{0, 1}};
  kernel.parameters = {{"x", ArgumentKind::buffer, 0, Access::read}};
  w.add(kernel);
  const std::vector<TraceArgument> x_out{{ArgumentKind::buffer, Access::write, 0, 0, 16}};
  const std::vector<TraceArgument> copy{{ArgumentKind::buffer, Access::read, 0, 0, 16},
                                        {ArgumentKind::buffer, Access::write, 1, 32, 16}};
  const std::vector<TraceArgument> call{{ArgumentKind::buffer, Access::read_write, 1, 0, 40},
                                        {ArgumentKind::value, Access::read, no_index, 0, 4},
                                        {ArgumentKind::shared, Access::read, no_index, 0, 64},
                                        {ArgumentKind::buffer, Access::read, 1, 8, 32, 2},
                                        {ArgumentKind::null, Access::read, no_index, 0, 0}};
  const std::vector<TraceArgument> pairs{{ArgumentKind::buffer, Access::read, 0, 0, 4},
                                         {ArgumentKind::buffer, Access::write, 2, 4, 4},
                                         {ArgumentKind::buffer, Access::read, 0, 8, 4},
                                         {ArgumentKind::buffer, Access::write, 2, 20, 4}};
  const auto work = [&](WorkKind kind, std::span<const TraceArgument> arguments,
                        std::uint32_t kernel_id, std::uint64_t pattern) {
    WorkRow row{};
    row.kind = kind;
    (kind == WorkKind::launch ? row.graph : row.kernel) = kernel_id;
    row.label = w.text("label");
    row.scope = w.text("layer0/norm");
    row.groups = row.group_size = {2, 1, 1};
    row.offset = {1, 0, 0};
    row.items = {3, 1, 1};
    row.pattern = static_cast<std::uint32_t>(pattern);
    row.pattern_bytes = static_cast<std::uint32_t>(pattern >> 32);
    row.arguments = arguments;
    if (kind == WorkKind::dispatch) row.values = bytes_of("four");
    return w.add(row);
  };
  const std::uint32_t works[] = {work(WorkKind::write, x_out, no_index, 0),
                                 work(WorkKind::copy, commands > 8 ? pairs : copy, no_index, 0),
                                 work(WorkKind::dispatch, call, 2, 0),
                                 work(WorkKind::fill, x_out, no_index, (2ULL << 32) | 0x1234),
                                 work(WorkKind::launch, {}, 0, 0)};
  for (std::uint32_t i = 0; i < commands; ++i) {
    const bool is_node = i >= 5;
    w.add(CommandRow{i, is_node ? works[2] : works[i % 5], i % 2, is_node ? 4 : no_index,
                     is_node ? i - 5 : no_index, 1, 1000 + i, 1001 + i});
    w.add(StampRow{i, 1000 + i, 1001 + i, 1002 + i, 1003 + i});
    if (i > 0) w.add(OrderRow{i, i % 2, i - 1});
  }
  if (commands > 0) {
    const Hash128 page = hash128(bytes_of("sixteen bytes 00"));
    w.blob(page, bytes_of("sixteen bytes 00"));
    w.add(ContentsRow{ContentRole::written, 0, 0, 0, 16, true, std::span(&page, 1)});
    w.add(ContentsRow{ContentRole::check, commands - 1, 0, 0, 16, false, std::span(&page, 1)});
    w.add(EdgeRow{0, 0, 1, 1});
  }
  w.add(CallRow{w.text("wait"), 1, 1500, 1600});
  w.add(RegionRow{TraceRegion::Kind::pass, 1, 0, 1, 1000, 1700});
  w.add(OverheadRow{OverheadKind::inputs, 1, 1000, 1001, 16});
  w.add(NoteRow{1000, "limit", "A note."});
  if (close)
    w.close({{"commands", std::to_string(commands)}, {"complete", "yes"}});
  else
    w.flush();
}

// A graph with a node of each kind.
void write_graph(const std::string& path) {
  const auto buffer = std::make_shared<BufferResource>(),
             other = std::make_shared<BufferResource>();
  buffer->size_bytes = other->size_bytes = 64;
  buffer->label = "x";
  other->label = "y";
  const auto x = make_handle<Buffer>(buffer), y = make_handle<Buffer>(other);
  const auto kernel = std::make_shared<KernelResource>();
  kernel->source.name = "add";
  kernel->source.opencl_c = "kernel void add() {}";
  Graph child, graph;
  child.add_copy(y, x, {.label = "copy"});
  const NodeId first = graph.add_write(x.range(0, 16), bytes_of("sixteen bytes 00"));
  graph.add_dispatch(make_handle<Kernel>(kernel), {.groups = {2}, .group_size = {2}},
                     std::vector<Argument>{in(x), inout(y), 7u, shared(64)}, {.after = {first}});
  graph.add_child(child);
  graph.add_child(child, {.scope = Scope().child("layer0")});
  graph.add_barrier({.after = {first}});
  graph.add_fill(y, std::uint8_t{1});
  std::filesystem::remove(path);
  graph.save(path);
}

// The input of batch_fuzz: table, length, message.
void write_batches(const std::string& document, const std::string& path) {
  const InputFile file(document);
  const mcap::Index index = mcap::read_index(file.bytes());
  OutputFile out(path, {.overwrite = true});
  mcap::ChunkReader reader;
  for (const mcap::ChunkRef& chunk : index.chunks)
    for_each_message(file.bytes(), chunk, reader, [&](const mcap::MessageView& message) {
      const auto length = static_cast<std::uint16_t>(message.data.size());
      const std::uint8_t prefix[] = {static_cast<std::uint8_t>(message.channel - 1),
                                     static_cast<std::uint8_t>(length & 255),
                                     static_cast<std::uint8_t>(length >> 8)};
      out.write(std::as_bytes(std::span(prefix)));
      out.write(message.data);
    });
  out.close();
}

}  // namespace
}  // namespace reel

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: trace_corpus <folder>\n");
    return 2;
  }
  try {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / "trace";
    const std::filesystem::path batches = std::filesystem::path(argv[1]) / "batch";
    std::filesystem::create_directories(folder);
    std::filesystem::create_directories(batches);
    reel::write((folder / "empty").string(), 0, true);
    reel::write((folder / "eight").string(), 8, true);
    reel::write((folder / "foreign").string(), 9, true);
    reel::write((folder / "unclosed").string(), 8, false);
    reel::write_graph((folder / "graph").string());
    std::filesystem::copy_file(folder / "eight", folder / "cut",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut",
                                 std::filesystem::file_size(folder / "cut") * 3 / 4);
    reel::write_batches((folder / "eight").string(), (batches / "eight").string());
    reel::write_batches((folder / "empty").string(), (batches / "empty").string());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
