#include "reel/replay.hpp"

#include "base/fail.hpp"
#include "replay/run/devices.hpp"
#include "replay/run/job.hpp"

namespace reel {

const char* to_string(ReplayOrder order) noexcept {
  switch (order) {
    case ReplayOrder::recorded:
      return "recorded";
    case ReplayOrder::sequential:
      return "sequential";
    case ReplayOrder::relaxed:
      return "relaxed";
  }
  return "?";
}

const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::equal:
      return "equal";
    case Verdict::within_tolerance:
      return "within_tolerance";
    case Verdict::different:
      return "different";
    case Verdict::not_proved:
      return "not_proved";
  }
  return "?";
}

Tolerance default_tolerance(ElementType type) {
  switch (type) {
    case ElementType::f32:
    case ElementType::f64:
      return {.relative = 1e-4, .absolute = {}};
    case ElementType::f16:
    case ElementType::bf16:
      return {.relative = 1e-2, .absolute = {}};
    default:
      return {};
  }
}

Verdict ReplayReport::verdict() const {
  // What is missing may be the input or the wait that would have made it equal.
  if (!incomplete.empty()) return Verdict::not_proved;
  if (different_checks || !races.empty()) return Verdict::different;
  if (!unchecked.empty() || !left_out.empty() || checks == 0) return Verdict::not_proved;
  return close_checks ? Verdict::within_tolerance : Verdict::equal;
}

namespace {

ReplayReport replay_on(const Trace& trace, std::vector<Device> devices,
                       const ReplayOptions& options) {
  rerun::check_is_capture(trace);
  if (options.to != no_index && options.to < options.from)
    fail(Code::invalid_argument, "A replay can't go from {} to {}.", command_name(options.from),
         command_name(options.to));
  if (!trace.commands().empty() && options.from >= trace.commands().size())
    fail(Code::invalid_argument, "A replay can't begin with {}: the document ends with {}.",
         command_name(options.from), command_name(trace.commands().size() - 1));
  for (const auto& [kernel, replacement] : options.replacements)
    if (kernel >= trace.kernels().size())
      fail(Code::invalid_argument, "There is no kernel {} to replace; the document has {}.", kernel,
           trace.kernels().size());
  for (const std::uint32_t command : options.without)
    if (command >= trace.commands().size())
      fail(Code::invalid_argument, "There is no {} to leave out; the document ends with {}.",
           command_name(command), command_name(trace.commands().size() - 1));
  return std::make_shared<rerun::Job>(trace, std::move(devices), options)->run();
}

}  // namespace

ReplayReport replay(const Trace& trace, const ReplayOptions& options) {
  return replay_on(trace, rerun::recorded_devices(trace), options);
}

ReplayReport replay(const Trace& trace, const Device& device, const ReplayOptions& options) {
  if (!device) fail(Code::invalid_argument, "The Device given to replay() is empty.");
  return replay_on(trace, std::vector<Device>(trace.devices().size(), device), options);
}

}  // namespace reel
