#include "reel/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace reel {
namespace {

template <class T>
T as(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

}  // namespace

std::string hex_text(std::span<const std::byte> bytes) {
  std::string text = "0x";
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(*byte));
  return text;
}

std::string value_text(std::span<const std::byte> bytes, std::optional<ElementType> element) {
  if (element && !bytes.empty() && bytes.size() % size_of(*element) == 0) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += size_of(*element))
      text += (at ? " " : "") + element_text(*element, bytes.subspan(at, size_of(*element)));
    return text;
  }
  if (bytes.size() == 4) {
    const auto real = as<float>(bytes);
    const auto whole = as<std::int32_t>(bytes);
    const float size = real < 0 ? -real : real;
    return size > 1e-6f && size < 1e9f ? fmt::format("{} or {}f", whole, real)
                                       : std::to_string(whole);
  }
  if (bytes.size() == 8) return std::to_string(as<std::int64_t>(bytes));
  return bytes.empty() ? "-" : hex_text(bytes);
}

const Parameter* parameter_of(const Trace& trace, const TraceWork& work, std::size_t argument) {
  if (work.kind != WorkKind::dispatch || work.kernel == no_index) return nullptr;
  const TraceKernel& kernel = trace.kernels()[work.kernel];
  const bool by_kind = kernel.has_parameters_by_kind();
  const auto arguments = trace.arguments(work);
  const ArgumentKind kind = arguments[argument].kind;
  if (is_read_beside(kind)) return nullptr;
  if (!by_kind) return argument < kernel.parameters.size() ? &kernel.parameters[argument] : nullptr;
  auto place = std::ranges::count(arguments.first(argument), kind, &TraceArgument::kind);
  for (const Parameter& parameter : kernel.parameters)
    if (static_cast<int>(parameter.kind) == static_cast<int>(kind) && place-- == 0)
      return &parameter;
  return nullptr;
}

const TraceArgument* predicate_of(const Trace& trace, const TraceWork& work) {
  const auto arguments = trace.arguments(work);
  return !arguments.empty() && is_predicate(arguments.back().kind) ? &arguments.back() : nullptr;
}

std::optional<ElementType> element_in_kernels(const Trace& trace, std::uint32_t buffer,
                                              std::uint32_t command) {
  for (std::uint32_t i = command == no_index ? 0 : command + 1; i-- > 0;) {
    const TraceWork& work = trace.work_of(trace.commands()[i]);
    if (work.kind != WorkKind::dispatch) continue;
    const auto arguments = trace.arguments(work);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (arguments[a].buffer != buffer) continue;
      const Parameter* parameter = parameter_of(trace, work, a);
      if (parameter && parameter->kind == ArgumentKind::buffer && parameter->element)
        return parameter->element;
    }
  }
  return std::nullopt;
}

}  // namespace reel
