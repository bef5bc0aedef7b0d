#include "runtime/graphs/stand_ins.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/resource.hpp"
#include "graph/graph_buffers.hpp"
#include "graph/temporaries.hpp"
#include "runtime/device_state.hpp"

namespace reel {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  // All of them where only one would be left.
  const std::size_t most_shown = names.size() == 13 ? 13 : 12;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), most_shown); ++i)
    shown.push_back(fmt::format("'{}'", names[i]));
  if (names.size() > most_shown)
    shown.push_back(fmt::format("and {} more", names.size() - most_shown));
  return shown.empty() ? "none" : fmt::format("{}", fmt::join(shown, ", "));
}

const NamedBuffer& find(const std::vector<NamedBuffer>& buffers, const std::string& name) {
  const auto found = std::ranges::find(buffers, name, [](const auto& b) { return b.facts.name; });
  if (found != buffers.end()) return *found;
  std::vector<std::string> names, same_label;
  for (const NamedBuffer& one : buffers) {
    names.push_back(one.facts.name);
    if (one.buffer->label == name) same_label.push_back(one.facts.name);
  }
  if (!same_label.empty())
    fail(Code::invalid_argument,
         "instantiate(): {} buffers of the graph are labelled '{}'; they are named {}.",
         same_label.size(), name, list_of(same_label));
  fail(Code::invalid_argument, "instantiate(): no buffer of the graph is named '{}'; it has {}.",
       name, list_of(names));
}

void check(const NamedBuffer& place, const Buffer& buffer, const DeviceState& device) {
  const std::string& name = place.facts.name;
  if (!buffer)
    fail(Code::invalid_argument, "instantiate(): the Buffer given for '{}' is empty.", name);
  if (resource_of(buffer)->freed)
    fail(Code::invalid_argument, "instantiate(): buffer '{}', given for '{}', was freed.",
         buffer.label(), name);
  const auto& owner = resource_of(buffer)->device;
  if (owner.get() != &device)
    fail(Code::invalid_argument,
         "instantiate(): buffer '{}', given for '{}', belongs to device {}, not to {}.",
         buffer.label(), name, owner ? owner->info().id : "none", device.info().id);
  if (buffer.size_bytes() < place.facts.size_bytes)
    fail(Code::invalid_argument,
         "instantiate(): buffer '{}' has {} bytes; '{}', for which it is given, has {}.",
         buffer.label(), buffer.size_bytes(), name, place.facts.size_bytes);
}

bool is_of_no_device(const BufferResource& buffer) { return !buffer.device; }

std::shared_ptr<BufferResource> make_temporaries(std::uint64_t size_bytes,
                                                 const std::shared_ptr<DeviceState>& device) {
  return resource_of(make_handle<Device>(device).buffer(size_bytes, "temporaries"));
}

}  // namespace

StandIns::StandIns(const Graph& graph, const std::shared_ptr<DeviceState>& device,
                   std::span<const std::pair<std::string, Buffer>> given) {
  if (given.empty() && !names_any_buffer(graph, is_of_no_device)) return;
  const std::vector<NamedBuffer> buffers = named_buffers(graph);
  for (const auto& [name, buffer] : given) {
    const NamedBuffer& place = find(buffers, name);
    check(place, buffer, *device);
    if (by_original_.contains(place.buffer.get()))
      fail(Code::invalid_argument, "instantiate(): '{}' is given twice.", name);
    if (const auto other = original_of_.find(resource_of(buffer).get());
        other != original_of_.end())
      fail(Code::invalid_argument,
           "instantiate(): buffer '{}' is given for '{}' and for '{}'; each needs its own.",
           buffer.label(), other->second->label, name);
    add(place.buffer, buffer);
  }
  add_temporaries(graph, device);
  for (const NamedBuffer& place : buffers) {
    if (by_original_.contains(place.buffer.get())) continue;
    if (is_of_no_device(*place.buffer))
      add(place.buffer,
          make_handle<Device>(device).buffer(place.facts.size_bytes, place.facts.name));
    else if (const auto taken = original_of_.find(place.buffer.get()); taken != original_of_.end())
      fail(Code::invalid_argument,
           "instantiate(): buffer '{}', given for '{}', is in the graph already.",
           place.buffer->label, taken->second->label);
  }
}

void StandIns::add(const std::shared_ptr<BufferResource>& original, const Buffer& buffer) {
  by_original_.emplace(original.get(), Exchange{original, {resource_of(buffer)}});
  original_of_.emplace(resource_of(buffer).get(), original);
  if (is_of_no_device(*original))
    of_no_device_.emplace(original->label, StandIn{resource_of(buffer)});
}

// Those that nobody gave a buffer for share one.
void StandIns::add_temporaries(const Graph& graph, const std::shared_ptr<DeviceState>& device) {
  constexpr std::uint64_t line_bytes = 256;  // so that they don't share cache lines
  alignment_bytes_ = std::max<std::uint64_t>(line_bytes, device->info().binding_alignment_bytes);
  const TemporaryLayout layout = lay_out_temporaries(
      graph, alignment_bytes_,
      [&](const BufferResource& buffer) { return !by_original_.contains(&buffer); });
  if (layout.places.empty()) return;
  temporary_bytes_ = layout.sum_bytes;
  packed_bytes_ = layout.size_bytes;
  temporaries_ = make_temporaries(layout.size_bytes, device);
  for (const TemporaryPlace& place : layout.places) {
    const StandIn in_place{temporaries_, place.offset_bytes};
    by_original_.emplace(place.buffer.get(), Exchange{place.buffer, in_place});
    of_no_device_.emplace(place.buffer->label, in_place);
  }
}

void StandIns::renew_temporaries(const std::shared_ptr<DeviceState>& device) {
  const auto before = std::exchange(temporaries_, make_temporaries(packed_bytes_, device));
  const auto renew = [&](StandIn& in_place) {
    if (in_place.buffer == before) in_place.buffer = temporaries_;
  };
  for (auto& entry : by_original_) renew(entry.second.in_place);
  for (auto& entry : of_no_device_) renew(entry.second);
}

// A graph that came from an exec has none left.
bool StandIns::fits(const Graph& graph) const {
  if (packed_bytes_ == 0 || !names_any_buffer(graph, is_temporary)) return true;
  const auto stands_for = [&](const BufferResource& buffer) {
    const auto known = by_original_.find(&buffer);
    if (known != by_original_.end()) return known->second.in_place;
    const auto named = of_no_device_.find(buffer.label);
    return named == of_no_device_.end() ? StandIn() : named->second;
  };
  const auto is_given = [&](const BufferResource& buffer) {
    return original_of_.contains(stands_for(buffer).buffer.get());
  };
  const TemporaryLayout layout = lay_out_temporaries(
      graph, alignment_bytes_, [&](const BufferResource& buffer) { return !is_given(buffer); });
  return std::ranges::all_of(layout.places, [&](const TemporaryPlace& place) {
    const StandIn now = stands_for(*place.buffer);
    return now.buffer && now.offset_bytes == place.offset_bytes;
  });
}

Graph StandIns::applied_to(const Graph& graph) const {
  if (by_original_.empty()) return graph;
  return with_buffers(graph, [&](const BufferResource& buffer) -> StandIn {
    if (const auto known = by_original_.find(&buffer); known != by_original_.end())
      return known->second.in_place;
    if (!is_of_no_device(buffer)) return {};
    const auto named = of_no_device_.find(buffer.label);
    return named == of_no_device_.end() ? StandIn() : named->second;
  });
}

const std::string& StandIns::label_of(const BufferResource& buffer) const {
  const auto original = original_of_.find(&buffer);
  return original == original_of_.end() ? buffer.label : original->second->label;
}

}  // namespace reel
