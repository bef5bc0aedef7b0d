#include "capture_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "document/document_writer.hpp"
#include "recording/writing/work_table.hpp"
#include "reel/trace.hpp"
#include "shared/another_program.hpp"
#include "shared/capture_file.hpp"
#include "shared/peak_memory.hpp"

namespace bench {
namespace {

// As many kinds of work as a model of some layers has; the commands go through them again and
// again.
constexpr std::uint32_t works = 100;

struct Entry {
  reel::capture::PackedCommand command;
  reel::TraceArgument arguments[3];
};

std::vector<Entry> entries() {
  std::vector<Entry> result(works);
  for (std::uint32_t i = 0; i < works; ++i) {
    Entry& entry = result[i];
    entry = {};
    entry.command.header = {sizeof(Entry), reel::capture::EntryType::command};
    entry.command.row = {.stream = 0, .thread = 4711};
    entry.command.work.kernel = i % 12;
    entry.command.work.groups = {16, 1, 1};
    entry.command.work.group_size = {64, 1, 1};
    entry.command.work.argument_count = 3;
    for (std::uint32_t a = 0; a < 3; ++a)
      entry.arguments[a] = {reel::ArgumentKind::buffer,
                            a == 2 ? reel::Access::write : reel::Access::read, (i + a) % 40,
                            i * 4096ull, 4096};
  }
  return result;
}

// Rows as a stream of PoCL gives them: a command each 3 us, with times that scatter.
void write(const std::string& path, std::uint32_t commands) {
  reel::document::DocumentWriter document(path, {}, {.overwrite = true});
  document.add(
      reel::document::DeviceRow{0, "bench", "bench", "bench", "cpu", "", "", "", 0, 1, true, 1});
  document.add(reel::document::StreamRow{0, 0, "s0"});
  for (std::uint32_t b = 0; b < 40; ++b)
    document.add(reel::document::BufferRow{b, 0, 1u << 20, fmt::format("b{}", b)});
  for (std::uint32_t k = 0; k < 12; ++k) {
    reel::document::KernelRow kernel{};
    kernel.id = k;
    kernel.name = fmt::format("k{}", k);
    document.add(kernel);
  }
  document.add(reel::document::ClockRow{0, 1'000'000, 1'000'000, 100});
  reel::capture::WorkTable table;
  std::vector<Entry> loop = entries();
  std::minstd_rand random(1);
  std::uint64_t now = 1'000'000, ended = now;
  for (std::uint32_t id = 0; id < commands; ++id) {
    reel::capture::PackedCommand& command = loop[id % works].command;
    const std::uint64_t call_ns = 1500 + random() % 1024;
    command.row.id = id;
    command.row.work = table.number_of(command, document);
    command.row.call_begin_ns = now;
    command.row.call_end_ns = now + call_ns;
    document.add(command.row);
    const std::uint64_t queued = now + 300 + random() % 64;
    const std::uint64_t submitted = queued + 200 + random() % 256;
    const std::uint64_t started = std::max(submitted, ended) + 100 + random() % 256;
    ended = started + 700 + random() % 512;
    document.add(reel::document::StampRow{id, queued, submitted, started, ended});
    now += call_ns + random() % 256;
  }
  document.close({{"commands", std::to_string(commands)}});
}

ModeResult result_of(std::string name, const std::vector<double>& cpu,
                     const std::vector<double>& wall, std::uint32_t commands) {
  ModeResult result;
  result.name = std::move(name);
  result.passes = cpu.size();
  const auto each = [&](std::vector<double> values) {
    for (double& value : values) value /= commands;
    return quartiles(std::move(values));
  };
  result.cpu_ns = each(cpu);
  result.wall_ns = each(wall);
  result.cpu_ratio = result.wall_ratio = {1, 1, 1};
  return result;
}

}  // namespace

GroupResult writing_and_loading(std::uint32_t commands, int rounds) {
  const CaptureFile file;
  std::vector<double> cpu, wall, load_cpu, load_wall, load_peak;
  std::string wrong;
  for (int round = 0; round < rounds; ++round) {
    const Spent begin = spent_so_far();
    write(file.path(), commands);
    const Spent end = spent_so_far();
    cpu.push_back(end.cpu_ns - begin.cpu_ns);
    wall.push_back(end.wall_ns - begin.wall_ns);

    AnotherProgram loading({"--load", file.path()});
    double cpu_ns = 0, wall_ns = 0, peak = 0, loaded = 0, problems = 0;
    const std::string said = loading.line();
    if (std::sscanf(said.c_str(), "%lf %lf %lf %lf %lf", &cpu_ns, &wall_ns, &peak, &loaded,
                    &problems) != 5)
      throw std::runtime_error("Loading in another process said '" + said + "'.");
    load_cpu.push_back(cpu_ns);
    load_wall.push_back(wall_ns);
    load_peak.push_back(peak);
    if (loaded != commands || problems != 0)
      wrong = fmt::format("{} commands were loaded with {} problems, expected {} and none", loaded,
                          problems, commands);
  }
  const double size = static_cast<double>(std::filesystem::file_size(file.path()));
  GroupResult group{"no device", fmt::format("{} commands with stamps", commands), commands, {}};
  group.modes.push_back(result_of("write", cpu, wall, commands));
  group.modes.back().figures = {{"s CPU", quartiles(cpu).median / 1e9, 0.5e-6 * commands},
                                {"bytes a command", size / commands, 30}};
  group.modes.push_back(result_of("load", load_cpu, load_wall, commands));
  group.modes.back().figures = {
      {"s CPU", quartiles(load_cpu).median / 1e9, 1e-6 * commands},
      {"MB at most in memory", quartiles(load_peak).median / 1e6, 300e-6 * commands}};
  group.modes.back().wrong = wrong;
  return group;
}

int load_and_tell(const std::string& path) {
  const Spent begin = spent_so_far();
  const reel::Trace trace = reel::Trace::load(path);
  const Spent end = spent_so_far();
  fmt::print("{} {} {} {} {}\n", end.cpu_ns - begin.cpu_ns, end.wall_ns - begin.wall_ns,
             peak_bytes(), trace.commands().size(), trace.problems().size());
  return 0;
}

}  // namespace bench
