#include "capture_modes.hpp"

#include <fmt/format.h>

#include <memory>
#include <random>
#include <utility>

#include "shared/capture_file.hpp"
#include "shared/increment.hpp"

namespace bench {
namespace {

constexpr const char* not_capturing = "not capturing";
constexpr const char* capturing = "capturing";
constexpr const char* with_start_and_stop = "capturing, with start and stop";
constexpr const char* stopped_async = "capturing, with start and stop_async";

constexpr std::uint32_t small_elements = 1024;
constexpr std::uint32_t many = 10'000;  // so many share what every document carries (28 kB)
constexpr std::uint32_t large_elements = 4u << 20;
constexpr std::uint64_t large_bytes = std::uint64_t{large_elements} * sizeof(std::uint32_t);

// So many dispatches over all elements of each of its buffers in turn.
struct Work {
  reel::Device device;
  reel::Kernel kernel;
  reel::Stream stream;
  std::vector<reel::Buffer> buffers;
  std::vector<std::uint32_t> first;  // what each buffer held in the beginning
  std::uint32_t dispatches;

  Work(const reel::Device& d, std::uint32_t count, std::uint32_t buffer_count,
       std::vector<std::uint32_t> elements)
      : device(d),
        kernel(increment_kernel(d)),
        stream(d.stream("captured")),
        first(std::move(elements)),
        dispatches(count) {
    for (std::uint32_t i = 0; i < buffer_count; ++i) {
      buffers.push_back(d.buffer(first.size() * sizeof(std::uint32_t), fmt::format("x{}", i)));
      buffers.back().write(first);
    }
  }

  void run() const {
    const reel::Launch launch = increments(first.size());
    for (std::uint32_t i = 0; i < dispatches; ++i)
      stream.dispatch(kernel, launch, inout(buffers[i % buffers.size()]));
    stream.synchronize();
  }

  std::string verify(std::uint64_t passes) const {
    const auto added = static_cast<std::uint32_t>(passes * dispatches /
                                                  static_cast<std::uint32_t>(buffers.size()));
    for (const reel::Buffer& buffer : buffers) {
      const auto found = buffer.read<std::uint32_t>();
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != first[i] + added)
          return fmt::format("element {} of '{}' is {} after {} passes, expected {}", i,
                             buffer.label(), found[i], passes, first[i] + added);
    }
    return {};
  }
};
using SharedWork = std::shared_ptr<const Work>;

Mode plain(const SharedWork& work) {
  return {not_capturing,
          [work](std::uint64_t passes) {
            for (; passes; --passes) work->run();
          },
          [work](std::uint64_t passes) { return work->verify(passes); }};
}

// A document a pass. What is known of the last one is kept.
struct Captured {
  CaptureFile file;
  reel::CaptureReport report;
  Spent spent;
};

// Wrong when the document doesn't hold each command with all that is known of it.
std::string check_document(const Captured& captured, const Work& work) {
  const reel::Trace trace = reel::Trace::load(captured.file.path());
  if (!trace.is_complete() || !trace.problems().empty()) return "the document is not whole";
  if (trace.commands().size() != work.dispatches)
    return fmt::format("{} commands in the document, expected {}", trace.commands().size(),
                       work.dispatches);
  const bool stamped = work.device.info().can_stamp_time;
  for (std::size_t i = 0; stamped && i < trace.commands().size(); ++i)
    if (!trace.commands()[i].has_run_times()) return fmt::format("c{} has no stamps", i);
  return {};
}

// What of a capture counts.
enum class Counted : std::uint8_t {
  work,        // between start and stop
  whole,       // from start until the document is there
  whole_later  // the same, but on the wall only until the program goes on
};

Mode captured_mode(const char* name, Counted counted, const SharedWork& work) {
  auto captured = std::make_shared<Captured>();
  Mode mode{name,
            [work, captured, counted](std::uint64_t passes) {
              for (; passes; --passes) {
                captured->file.remove();  // throwing 16 MiB away is no part of a capture
                Spent begin = spent_so_far();
                reel::start_capture(captured->file.path());
                if (counted == Counted::work) begin = spent_so_far();
                work->run();
                Spent end = spent_so_far();
                if (counted == Counted::whole_later) {
                  const reel::EndingCapture ending = reel::stop_capture_async();
                  end.wall_ns = spent_so_far().wall_ns;
                  captured->report = ending.report();
                  end.cpu_ns = spent_so_far().cpu_ns;
                } else {
                  captured->report = reel::stop_capture();
                  if (counted == Counted::whole) end = spent_so_far();
                }
                captured->spent.cpu_ns += end.cpu_ns - begin.cpu_ns;
                captured->spent.wall_ns += end.wall_ns - begin.wall_ns;
              }
            },
            [work, captured](std::uint64_t passes) {
              const std::string wrong = work->verify(passes);
              return wrong.empty() ? check_document(*captured, *work) : wrong;
            }};
  mode.spent = [captured] { return std::exchange(captured->spent, {}); };
  mode.note = [captured] {
    return fmt::format("document of {} bytes, {} bytes of contents looked at",
                       captured->report.document_bytes, captured->report.contents_bytes);
  };
  if (counted == Counted::whole)
    mode.figures = [work, captured]() -> std::vector<Figure> {
      const auto bytes = static_cast<double>(captured->report.document_bytes);
      if (work->first.size() == small_elements) {
        if (work->dispatches < many) return {};  // mostly what every document carries
        return {{"bytes a command", bytes / work->dispatches, 30}};
      }
      // Both buffers begin with the same bytes, so half of the pages are new.
      return {
          {"times the distinct pages in bytes", bytes / static_cast<double>(large_bytes), 1.05}};
    };
  return mode;
}

Group group_of(const reel::Device& device, std::string name, double most, auto work) {
  Group group{device.info().id, std::move(name), 0, {}};
  group.modes.push_back(plain(work()));
  group.modes.push_back(captured_mode(capturing, Counted::work, work()));
  group.modes.push_back(captured_mode(with_start_and_stop, Counted::whole, work()));
  group.modes.push_back(captured_mode(stopped_async, Counted::whole_later, work()));
  // Times of llvmpipe and of calls on the host are shown; the aim is for a driver that queues. On
  // the wall, who asks for the document at once waits for it to be written.
  if (device.info().backend == "opencl")
    for (Mode& mode : group.modes) {
      if (mode.name == not_capturing) continue;
      mode.aims = {{not_capturing, most}};
      if (mode.name != with_start_and_stop) mode.aims.push_back({not_capturing, most, Clock::wall});
    }
  return group;
}

}  // namespace

Group small_dispatches_group(const reel::Device& device, std::uint32_t dispatches) {
  Group group = group_of(
      device, fmt::format("{} dispatches on {} elements", dispatches, small_elements), 1.1, [&] {
        return std::make_shared<const Work>(device, dispatches, 1,
                                            std::vector<std::uint32_t>(small_elements));
      });
  group.nodes = dispatches;
  return group;
}

Group large_buffers_group(const reel::Device& device, std::uint32_t dispatches) {
  // Random, so that nothing gets smaller: the dearest contents there are.
  std::vector<std::uint32_t> elements(large_elements);
  std::mt19937 random(1);
  for (std::uint32_t& element : elements) element = static_cast<std::uint32_t>(random());
  Group group =
      group_of(device, fmt::format("{} dispatches on two buffers of 16 MiB", dispatches), 1.15,
               [&] { return std::make_shared<const Work>(device, dispatches, 2, elements); });
  group.nodes = dispatches;
  return group;
}

}  // namespace bench
