#include "replay/run/lockstep.hpp"

#include <algorithm>
#include <cmath>

#include "base/handles.hpp"
#include "replay/compare.hpp"
#include "replay/run/predicates.hpp"
#include "replay/script/writers.hpp"
#include "runtime/stream_state.hpp"

namespace reel::rerun {

namespace {

// A range of a command's arguments, and what its kernel takes the elements for.
struct Touched {
  std::uint32_t buffer;
  std::uint64_t offset, size;
  Access access;
  std::optional<ElementType> type;
};

std::vector<Touched> touched_by(const Stage& stage, std::uint32_t command,
                                const ReplayOptions& options, const Writers& writers) {
  const Trace& trace = stage.trace();
  const TraceWork& work = trace.work_of(trace.commands()[command]);
  std::vector<Touched> list;
  std::size_t place = 0;
  for (const TraceArgument& a : trace.arguments(work)) {
    if (a.kind == ArgumentKind::null) ++place;
    if (a.kind != ArgumentKind::buffer) continue;
    const std::size_t parameter = place++;
    if (a.buffer == no_index || !a.size_bytes) continue;
    Touched touched{a.buffer, a.offset_bytes, a.size_bytes, a.access, {}};
    if (const auto given = options.types.find(a.buffer); given != options.types.end())
      touched.type = given->second;
    else if (work.kernel != no_index)
      touched.type = stage.elements().of(work.kernel, parameter);
    else
      touched.type = writers.type(a.buffer, a.offset_bytes, a.offset_bytes + a.size_bytes, command);
    list.push_back(touched);
  }
  return list;
}

class Line {
 public:
  explicit Line(Stage& stage) : stage_(stage) {
    stage.restore([](std::uint64_t) {});
  }

  void perform(const Action& action) {
    const Stream& stream = stream_of(action.command);
    if (action.kind == Action::Kind::put) {
      const TraceContents& row = stage_.trace().contents()[action.contents];
      stage_.for_each_page(row, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        stream.write(stage_.range(row.buffer, offset, bytes.size()), bytes);
      });
    } else {
      for (const KeptCommand& kept : stage_.commands(action.command)) {
        const bool is_ours = is_decided_here(kept.command, stream);
        if (auto left = is_ours ? decided(kept.command, stream) : kept.command)
          state_of(stream)->enqueue(std::move(*left));
      }
    }
    stream.synchronize();
  }

  // Page by page: visit(offset in the buffer, bytes).
  template <class F>
  void read(const Touched& range, F&& visit) {
    TraceContents row;
    row.buffer = range.buffer;
    row.offset_bytes = range.offset;
    row.size_bytes = range.size;
    stage_.read(row, [&](std::uint32_t page, std::span<const std::byte> bytes) {
      visit(range.offset + page * page_bytes, bytes);
    });
  }

  void write(std::uint32_t buffer, std::uint64_t offset, std::span<const std::byte> bytes,
             std::uint32_t command) {
    const Stream& stream = stream_of(command);
    stream.write(stage_.range(buffer, offset, bytes.size()), bytes);
    stream.synchronize();
  }

 private:
  const Stream& stream_of(std::uint32_t command) {
    const Device& device = stage_.device_of_stream(stage_.trace().commands()[command].stream);
    for (const auto& [owner, stream] : streams_)
      if (owner == device) return stream;
    return streams_.emplace_back(device, device.stream("lockstep")).second;
  }

  Stage& stage_;
  std::vector<std::pair<Device, Stream>> streams_;
};

template <class F>
void for_each_action(const Script& script, F&& visit) {
  for (const auto* list : {&script.before, &script.actions})
    for (const Action& action : *list)
      if (action.kind != Action::Kind::look && !visit(action)) return;
}

}  // namespace

std::optional<Difference> first_difference(Stage& reference, Stage& tested,
                                           const ReplayOptions& options, bool exact,
                                           Heartbeat& heart) {
  const Trace& trace = reference.trace();
  const Writers writers(trace, reference.elements());
  Line wanted(reference), got(tested);
  std::optional<Difference> found;
  for_each_action(reference.script(), [&](const Action& action) {
    heart.running(action.command);
    wanted.perform(action);
    got.perform(action);
    if (action.kind != Action::Kind::run) return true;
    for (const Touched& range : touched_by(reference, action.command, options, writers)) {
      if (!writes(range.access)) continue;
      std::vector<std::byte> expected;
      expected.reserve(range.size);
      wanted.read(range, [&](std::uint64_t, std::span<const std::byte> bytes) {
        expected.insert(expected.end(), bytes.begin(), bytes.end());
      });
      std::optional<Tolerance> tolerance = options.tolerance;
      if (!tolerance && !exact && range.type) tolerance = default_tolerance(*range.type);
      bool is_equal = true;
      got.read(range, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        const auto page = std::span(expected).subspan(offset - range.offset, bytes.size());
        const Comparison result = compare(page, bytes, range.type, tolerance);
        is_equal &= result.equal_bytes == bytes.size();
        if (result.different.empty() || (found && found->command == action.command)) {
          if (found) found->elements += result.different_elements;
          return;
        }
        const std::size_t step = range.type ? size_of(*range.type) : 1;
        const std::uint64_t at = result.different.front().begin;
        const auto text = [&](std::span<const std::byte> from) {
          return element_text(range.type.value_or(ElementType::hex), from.subspan(at, step));
        };
        const bool whole = at + step <= bytes.size();
        found = Difference{.command = action.command,
                           .check = action.command,
                           .buffer = range.buffer,
                           .offset_bytes = offset + at,
                           .type = range.type,
                           .expected = whole ? text(page) : std::string(),
                           .found = whole ? text(bytes) : std::string(),
                           .elements = result.different_elements};
      });
      if (found) return false;
      if (!is_equal) got.write(range.buffer, range.offset, expected, action.command);
    }
    return true;
  });
  heart.idle();
  return found;
}

std::optional<NanReport> first_nan(Stage& stage, const ReplayOptions& options, Heartbeat& heart) {
  const Trace& trace = stage.trace();
  const Writers writers(trace, stage.elements());
  Line line(stage);
  const auto find =
      [&](const Touched& range) -> std::optional<std::pair<std::uint64_t, std::string>> {
    std::optional<std::pair<std::uint64_t, std::string>> found;
    if (!range.type || !is_real(*range.type)) return found;
    const std::size_t step = size_of(*range.type);
    line.read(range, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
      for (std::size_t at = 0; !found && at + step <= bytes.size(); at += step)
        if (const auto element = bytes.subspan(at, step);
            !std::isfinite(element_value(*range.type, element)))
          found.emplace(offset + at, element_text(*range.type, element));
    });
    return found;
  };
  std::optional<NanReport> report;
  for_each_action(stage.script(), [&](const Action& action) {
    heart.running(action.command);
    if (action.kind != Action::Kind::run) {
      line.perform(action);
      return true;
    }
    const std::vector<Touched> ranges = touched_by(stage, action.command, options, writers);
    bool was_read = false;
    for (const Touched& range : ranges)
      if (!was_read && reads(range.access)) was_read = find(range).has_value();
    line.perform(action);
    for (const Touched& range : ranges) {
      if (!writes(range.access)) continue;
      if (const auto found = find(range)) {
        report = NanReport{action.command, range.buffer, found->first, found->second, was_read};
        return false;
      }
    }
    return true;
  });
  heart.idle();
  return report;
}

}  // namespace reel::rerun
