#include "page/value_texts.hpp"

#include <algorithm>
#include <unordered_map>

#include "reel/arguments.hpp"

namespace reel::page {
namespace {

// A value may be a whole structure; what nobody reads to its end is cut.
constexpr std::size_t most_bytes = 256;

std::string text_of(const Trace& trace, const TraceArgument& value, const Parameter* parameter) {
  const auto bytes = trace.value_bytes(value);
  if (value.kind == ArgumentKind::sampler)
    if (std::string text = sampler_text(bytes); !text.empty()) return text;
  const auto element = parameter ? parameter->element : std::nullopt;
  if (bytes.size() <= most_bytes) return value_text(bytes, element);
  return value_text(bytes.first(most_bytes), element) + " …";
}

}  // namespace

std::span<const TraceArgument> all_arguments(const Trace& trace) {
  TraceWork all;
  for (const TraceWork& work : trace.works())
    all.argument_count = std::max(all.argument_count, work.first_argument + work.argument_count);
  return trace.arguments(all);
}

ValueTexts::ValueTexts(const Trace& trace) : indices_(all_arguments(trace).size(), no_index) {
  std::unordered_map<std::string, std::uint32_t> known;
  for (const TraceWork& work : trace.works()) {
    const auto arguments = trace.arguments(work);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].has_value()) continue;
      const auto next = static_cast<std::uint32_t>(known.size());
      const auto [at, is_new] =
          known.try_emplace(text_of(trace, arguments[i], parameter_of(trace, work, i)), next);
      if (is_new) texts_.push_back(at->first);
      indices_[work.first_argument + i] = at->second;
    }
  }
}

}  // namespace reel::page
