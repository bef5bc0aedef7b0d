#include "graph/commands/describe.hpp"

#include <fmt/format.h>

#include <iterator>

namespace reel {

std::string describe(const BufferResource& buffer) {
  return buffer.label.empty() ? fmt::format("b{}", static_cast<std::uint32_t>(buffer.id))
                              : fmt::format("'{}'", buffer.label);
}

std::string describe(const BufferRange& range) {
  if (!range.buffer) return "no buffer";
  return fmt::format("{} (offset {}, {} bytes)", describe(*range.buffer), range.offset_bytes,
                     range.size_bytes);
}

std::string describe(const Dim3& size) {
  return fmt::format("({}, {}, {})", size.x, size.y, size.z);
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text = "0x";
  for (auto b = bytes.rbegin(); b != bytes.rend(); ++b)
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(*b));
  return text;
}

std::string describe(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::buffer:
    case ArgumentKind::image:
      return fmt::format("{} {}", to_string(argument.access), describe(argument.range));
    case ArgumentKind::value:
    case ArgumentKind::sampler:
      return fmt::format("{} {} ({} bytes)", to_string(argument.kind), hex(argument.value()),
                         argument.value_bytes);
    case ArgumentKind::shared:
      return fmt::format("shared memory ({} bytes)", argument.shared_bytes);
    case ArgumentKind::null:
      return "a pointer to nothing";
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      break;
  }
  return "unknown";
}

std::string describe(const DispatchPredicate& predicate) {
  if (!predicate) return "none";
  return fmt::format("{} {}", to_string(predicate.kind()), describe(predicate.word));
}

std::string describe(const Command& command) {
  std::string_view label = command.label;
  const auto* dispatch = std::get_if<Dispatch>(&command.work);
  if (label.empty() && dispatch && dispatch->kernel) label = dispatch->kernel->source.name;
  std::string text = std::visit(overloaded{
                                    [](const Dispatch&) { return "Dispatch"; },
                                    [](const Copy&) { return "Copy"; },
                                    [](const Fill&) { return "Fill"; },
                                    [](const Write&) { return "Write"; },
                                    [](const Read&) { return "Read"; },
                                    [](const HostCall&) { return "Host call"; },
                                    [](const Barrier&) { return "Barrier"; },
                                },
                                command.work);
  if (!label.empty()) text += fmt::format(" '{}'", label);
  return text;
}

}  // namespace reel
