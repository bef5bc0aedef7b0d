#include "page/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/contents/buffer_elements.hpp"
#include "graph/json_writer.hpp"
#include "page/row_json.hpp"
#include "page/shader_sources.hpp"
#include "page/value_texts.hpp"

namespace reel::page {
namespace {

void write_usage(JsonWriter& json, const analysis::KernelUsage& usage) {
  json.member("count", usage.count);
  json.member("timed", usage.timed);
  json.member("total_ns", usage.total_ns);
  json.member("mean_ns", usage.mean_ns);
  json.member("least_ns", usage.least_ns);
  json.member("p50_ns", usage.p50_ns);
  json.member("p95_ns", usage.p95_ns);
  json.member("most_ns", usage.most_ns);
  json.member("variation", usage.variation);
  json.member("together", usage.together);
  json.member("together_ns", usage.together_ns);
  json.member("bound_bytes", usage.bound_bytes);
  json.member("bandwidth", usage.bandwidth());
  json.member("shapes", usage.shapes);
  json.member("first", usage.first);
  json.member("last", usage.last);
}

void write_kernel(JsonWriter& json, const PageState& state, const TraceKernel& kernel) {
  json.member("id", name_of(kernel.id));
  write_columns(json, state, kernel);
  const auto write_pairs = [&](const char* name, const auto& pairs) {
    json.array(name, pairs, [&](const auto& pair) {
      json.array(std::array{0, 1},
                 [&](int which) { which == 0 ? json.value(pair.first) : json.value(pair.second); });
    });
  };
  write_pairs("defines", kernel.defines);
  write_pairs("constants", kernel.constants);
  json.array("parameters", kernel.parameters, [&](const Parameter& parameter) {
    json.object([&] { write_columns(json, state, parameter); });
  });
  struct Shown {
    std::string form;
    bool has_text;
  };
  std::vector<Shown> shown;
  for (const TraceVariant& variant : kernel.variants)
    shown.push_back({to_string(variant.form), variant.blob && state.trace.has_blob(*variant.blob)});
  for (const std::string& name : shader_source_names(state.trace, kernel))
    shown.push_back({name, true});
  json.array("variants", shown, [&](const Shown& one) {
    json.object([&] {
      json.member("form", one.form);
      json.member("has_text", one.has_text);
    });
  });
}

void write_image(JsonWriter& json, const ImageShape& image) {
  json.member("image", fmt::format("{} {}, {}", to_string(image.type), format_name(image),
                                   extent_text(image)));
  json.object("image_shape", [&] {
    json.member("type", to_string(image.type));
    json.member("channel_order", to_string(image.channel_order));
    json.member("channel_type", to_string(image.channel_type));
    json.member("pixel_bytes", image.pixel_bytes);
    json.member("width", image.width);
    json.member("height", image.height);
    json.member("depth", image.depth);
    json.member("layers", image.layers);
  });
}

std::string strings_json(const auto& strings) {
  JsonWriter json;
  json.array(strings, [&](const std::string& text) { json.value(text); });
  return std::move(json).take();
}

}  // namespace

std::string kernels_json(const PageState& state) {
  const auto& kernels = state.trace.kernels();
  std::vector<const analysis::KernelUsage*> usages(kernels.size());
  for (const analysis::KernelUsage& usage : state.report.kernels) usages[usage.kernel] = &usage;
  JsonWriter json;
  std::size_t at = 0;
  json.array(kernels, [&](const TraceKernel& kernel) {
    json.object([&] {
      write_kernel(json, state, kernel);
      write_usage(json, *usages[at++]);
    });
  });
  return std::move(json).take();
}

std::string buffers_json(const PageState& state) {
  const auto elements = analysis::buffer_elements(state.trace);
  JsonWriter json;
  std::size_t at = 0;
  json.array(state.trace.buffers(), [&](const TraceBuffer& buffer) {
    const analysis::BufferUse& use = state.report.memory.buffers[at];
    json.object([&] {
      json.member("id", name_of(buffer.id));
      write_columns(json, state, buffer);
      if (buffer.image) write_image(json, *buffer.image);
      json.member("alive_from", state.time(use.alive_from_ns));
      json.member("alive_to", state.time(use.alive_to_ns));
      json.member("first", use.first);
      json.member("last", use.last);
      json.member("first_read", use.first_read);
      json.member("last_read", use.last_read);
      json.member("reads", use.reads);
      json.member("writes", use.writes);
      json.member("at_peak", use.at_peak);
      json.member("outlives", use.outlives);
      json.key("element");
      elements[at] ? json.value(name_of(*elements[at])) : json.null();
    });
    ++at;
  });
  return std::move(json).take();
}

std::string texts_json(const PageState& state) {
  const Trace& trace = state.trace;
  std::uint32_t last = 0;
  for (const TraceWork& work : trace.works()) last = std::max({last, work.label, work.scope});
  for (const TraceCall& call : trace.calls()) last = std::max(last, call.name);
  for (const TraceRegion& region : trace.regions()) last = std::max(last, region.name);
  JsonWriter json;
  std::vector<std::uint32_t> ids(last + 1);
  std::iota(ids.begin(), ids.end(), 0u);
  json.array(ids, [&](std::uint32_t id) { json.value(trace.text(id)); });
  return std::move(json).take();
}

std::string values_json(const PageState& state) {
  return strings_json(ValueTexts(state.trace).texts());
}

}  // namespace reel::page
