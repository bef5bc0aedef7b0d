#include "sample_document.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>

namespace reel::test {
namespace {

using namespace document;

template <class T>
std::vector<std::byte> bytes_of_values(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

constexpr std::uint64_t us = 1000;

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "reel_XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::vector<Hash128> pages_of(DocumentWriter& writer, std::span<const std::byte> bytes,
                              bool store) {
  std::vector<Hash128> pages;
  for (std::size_t at = 0; at < bytes.size(); at += page_bytes) {
    const auto page = bytes.subspan(at, std::min<std::size_t>(page_bytes, bytes.size() - at));
    pages.push_back(hash128(page));
    if (store) writer.blob(pages.back(), page);
  }
  return pages;
}

void write_sample(DocumentWriter& w) {
  const std::uint64_t t0 = sample_start_ns;
  w.add(DeviceRow{0, "host", "host", "Test CPU", "cpu", "reel", "0.1.0", "", 1u << 30, 2, true, 1});
  w.add(ClockRow{0, t0, t0 + sample_clock_lead_ns, 40});
  w.add(ClockRow{0, t0 + 1'000'000, t0 + 1'000'000 + sample_clock_lead_ns, 70});
  w.add(StreamRow{0, 0, "main"});
  w.add(StreamRow{3, 0, "side"});
  w.add(BufferRow{1, 0, 4096, "x"});
  w.add(BufferRow{2, 0, 4096, "y"});
  w.add(BufferRow{5, 0, 2'621'440, "big"});
  w.add(AllocationRow{false, 1, t0 + 1 * us});
  w.add(AllocationRow{false, 2, t0 + 2 * us});
  w.add(AllocationRow{true, 1, t0 + 900 * us});

  const auto source = bytes_of(sample_add_cl);
  KernelRow add{};
  add.id = 4;
  add.name = "add";
  add.entry = "add_main";
  add.built_form = KernelForm::host;
  add.variants = {{KernelForm::opencl_c, {source.begin(), source.end()}}, {KernelForm::host, {}}};
  add.defines = {{"N", "1024"}};
  add.constants = {{0, 64}};
  add.options = "-cl-fast-relaxed-math";
  add.group_size = {64, 1, 1};
  add.parameters = {{"x", ArgumentKind::buffer, 0, Access::read, ElementType::i16},
                    {"y", ArgumentKind::buffer, 0, Access::read_write, ElementType::f32},
                    {"n", ArgumentKind::value, 4, Access::read, ElementType::u32},
                    {"scratch", ArgumentKind::shared, 0, Access::read}};
  add.build_log = "warning: all is well";
  add.binary_hash = "abc";
  w.add(add);
  KernelRow scale{};
  scale.id = 7;
  scale.name = "scale";
  scale.built_form = KernelForm::host;
  scale.variants = {{KernelForm::host, {}}};
  scale.group_size = {64, 1, 1};
  w.add(scale);

  const std::uint32_t attention = w.text("layer0/attention"), mlp = w.text("layer0/mlp");
  const auto none = std::vector<std::byte>{};
  const auto n = bytes_of_values<std::uint32_t>({1024});
  const auto factor = bytes_of_values<float>({2.0f});
  const TraceArgument x_in{ArgumentKind::buffer, Access::read, 1, 0, 4096};
  const TraceArgument x_out{ArgumentKind::buffer, Access::write, 1, 0, 4096};
  const TraceArgument y_in{ArgumentKind::buffer, Access::read, 2, 0, 4096};
  const TraceArgument y_out{ArgumentKind::buffer, Access::write, 2, 0, 4096};
  const TraceArgument y_both{ArgumentKind::buffer, Access::read_write, 2, 0, 4096};
  const TraceArgument y_half{ArgumentKind::buffer, Access::read_write, 2, 0, 2048};
  const TraceArgument big_out{ArgumentKind::buffer, Access::write, 5, 1024, 4096};
  const TraceArgument value{ArgumentKind::value, Access::read, no_index, 0, 4};
  const TraceArgument scratch{ArgumentKind::shared, Access::read, no_index, 0, 256};

  const std::vector<TraceArgument> write_x{x_out}, fill_y{y_out},
      add_xy{x_in, y_both, value, scratch}, copy_y{y_in, big_out}, scale_y{y_half, value},
      read_y{y_in};
  const auto work = [&](WorkKind kind, std::span<const TraceArgument> arguments,
                        std::span<const std::byte> values, std::uint32_t kernel,
                        std::uint32_t label, std::uint32_t scope, Dim3 groups,
                        std::uint64_t pattern) {
    WorkRow row{};
    row.kind = kind;
    (kind == WorkKind::launch ? row.graph : row.kernel) = kernel;
    row.label = label;
    row.scope = scope;
    row.groups = groups;
    if (kind == WorkKind::dispatch) row.group_size = {64, 1, 1};
    row.pattern = static_cast<std::uint32_t>(pattern);
    row.pattern_bytes = static_cast<std::uint32_t>(pattern >> 32);
    row.arguments = arguments;
    row.values = values;
    return w.add(row);
  };
  const Dim3 no_grid{0, 0, 0}, grid{16, 1, 1};
  const std::uint32_t works[] = {
      work(WorkKind::write, write_x, none, no_index, w.text("upload x"), 0, no_grid, 0),
      work(WorkKind::fill, fill_y, none, no_index, 0, 0, no_grid, (4ULL << 32) | 0x3f800000U),
      work(WorkKind::dispatch, add_xy, n, 4, w.text("add"), attention, grid, 0),
      work(WorkKind::copy, copy_y, none, no_index, w.text("save y"), attention, no_grid, 0),
      work(WorkKind::dispatch, scale_y, factor, 7, w.text("scale"), mlp, grid, 0),
      work(WorkKind::read, read_y, none, no_index, 0, 0, no_grid, 0),
      work(WorkKind::barrier, {}, none, no_index, 0, 0, no_grid, 0),
      work(WorkKind::host_call, {}, none, no_index, w.text("log"), 0, no_grid, 0),
      work(WorkKind::launch, {}, none, 0, w.text("step"), mlp, no_grid, 0),
  };
  // c9 and c10 are nodes of c8.
  for (std::uint32_t i = 0; i < 11; ++i) {
    CommandRow row{};
    row.id = i;
    row.work = i < 9 ? works[i] : works[2];
    row.stream = i == 3 ? 3 : 0;
    if (i >= 9) row.launch = 8, row.node = i - 9;
    row.thread = 77;
    row.call_begin_ns = t0 + (10 + std::uint64_t{std::min(i, 8U)} * 10) * us;
    row.call_end_ns = row.call_begin_ns + 2 * us;
    w.add(row);
    // c6 has no stamps; the others run for 1, 2, 3 … us.
    if (i == 6) continue;
    const std::uint64_t began = t0 + sample_clock_lead_ns + (15 + i * 10) * us;
    w.add(StampRow{i, i == 7 ? 0 : began - 4 * us, began - 1 * us, began, began + (i + 1) * us});
  }
  w.add(OrderRow{3, 3, 2});
  w.add(EdgeRow{0, 0, 1, 2});
  w.add(SubmissionRow{4, 3, 0, w.text("vkQueueSubmit")});
  w.add(BarrierRow{5, 0x800, 0x1000, 0x40, 0x800, 1, 256, 512, 0, 0, no_index, no_index});
  w.add(BarrierRow{5, 0x800, 0x800, 0x40, 0x20, no_index, 0, 0, 0, 0, no_index, no_index});

  std::vector<float> ramp(1024);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i);
  const auto ramp_bytes = bytes_of_values(ramp);
  w.add(ContentsRow{ContentRole::written, 0, 1, 0, 4096, true, pages_of(w, ramp_bytes)});
  for (float& v : ramp) v += 1;
  const auto sum_bytes = bytes_of_values(ramp);
  w.add(ContentsRow{ContentRole::check, 2, 2, 0, 4096, true, pages_of(w, sum_bytes)});
  std::vector<std::byte> big(2'621'440);
  std::mt19937 random(1);
  for (std::size_t i = 0; i + 4 <= big.size(); i += 4) {
    const std::uint32_t v = i < page_bytes ? 0 : random() & 0xffU;
    std::memcpy(big.data() + i, &v, 4);
  }
  w.add(ContentsRow{ContentRole::input, 3, 5, 0, big.size(), true, pages_of(w, big)});
  w.add(ContentsRow{ContentRole::check, 10, 5, 0, big.size(), false, pages_of(w, big, false)});

  w.add(CallRow{w.text("build"), 77, t0 + 3 * us, t0 + 7 * us});
  w.add(CallRow{w.text("synchronize"), 78, t0 + 500 * us, t0 + 600 * us});
  w.add(RegionRow{TraceRegion::Kind::pass, 1, 0, 77, t0 + 9 * us, t0 + 95 * us});
  w.add(RegionRow{TraceRegion::Kind::named, 0, w.text("warm up"), 77, t0, t0 + 5 * us});
  w.add(OverheadRow{OverheadKind::inputs, 77, t0 + 8 * us, t0 + 9 * us, 2'621'440});
  w.add(OverheadRow{OverheadKind::checks, 77, t0 + 700 * us, t0 + 705 * us, 4096});
  w.add(OverheadRow{OverheadKind::waiting, 77, t0 + 710 * us, t0 + 711 * us, 0});
  w.add(OverheadRow{OverheadKind::starting, 77, t0 - 10 * us, t0, 0});
  w.add(OverheadRow{OverheadKind::stopping, 77, t0 + 800 * us, t0 + 820 * us, 0});
  w.add(NoteRow{t0 + 750 * us, "limit",
                "Contents after c10 are hashes only: the limit was reached."});
}

std::string write_sample(const std::string& path, bool close) {
  DocumentWriter writer(path, {{"command_line", "./sample --fast"},
                               {"program", "sample"},
                               {"pid", "4711"},
                               {"host", "somewhere"},
                               {"started", "2026-11-01T12:00:00Z"},
                               {"started_ns", std::to_string(sample_start_ns)},
                               {"contents", "inputs"},
                               {"limit_bytes", "1000000"},
                               {"selection", "pass 1"}});
  write_sample(writer);
  if (close)
    writer.close({{"commands", "11"},
                  {"ended_ns", std::to_string(sample_start_ns + 1'000'000)},
                  {"complete", "yes"},
                  {"writer_cpu_ns", "50000"},
                  {"bytes_in", "2629632"},
                  {"bytes_stored", "400000"}});
  else
    writer.flush();
  return path;
}

void write_many(const std::string& path, std::uint32_t commands) {
  DocumentWriter writer(path, {{"program", "many"}});
  writer.add(
      DeviceRow{0, "host", "host", "Test CPU", "cpu", "reel", "0.1.0", "", 1u << 30, 2, true, 1});
  writer.add(ClockRow{0, sample_start_ns, sample_start_ns, 0});
  writer.add(StreamRow{0, 0, "main"});
  writer.add(BufferRow{0, 0, 4096, "x"});
  KernelRow kernel{};
  kernel.name = "step";
  kernel.built_form = KernelForm::host;
  kernel.variants = {{KernelForm::host, {}}};
  writer.add(kernel);
  const std::vector<TraceArgument> arguments{
      {ArgumentKind::buffer, Access::read_write, 0, 0, 4096}};
  std::vector<std::uint32_t> works;
  for (int i = 0; i < 100; ++i) {
    WorkRow work{};
    work.kind = WorkKind::dispatch;
    work.kernel = 0;
    work.scope = writer.text("layer" + std::to_string(i / 10));
    work.label = writer.text("step " + std::to_string(i));
    work.groups = {16, 1, 1};
    work.group_size = {64, 1, 1};
    work.arguments = arguments;
    works.push_back(writer.add(work));
  }
  std::mt19937 random(1);  // times as uneven as real ones
  std::uint64_t now = sample_start_ns;
  for (std::uint32_t i = 0; i < commands; ++i) {
    now += 2000 + random() % 500;
    writer.add(CommandRow{i, works[i % works.size()], 0, no_index, no_index, 77, now,
                          now + 400 + random() % 100});
    const std::uint64_t began = now + 900 + random() % 200;
    writer.add(StampRow{i, now + 300, now + 700, began, began + 1000 + random() % 50});
  }
  writer.close({{"commands", std::to_string(commands)}, {"complete", "yes"}});
}

}  // namespace reel::test
