#include "analysis/found_columns.hpp"

#include "document/trace/row_columns.hpp"

namespace reel::analysis {

static const char* to_string(PathStep::Kind kind) noexcept {
  switch (kind) {
    case PathStep::Kind::command:
      return "command";
    case PathStep::Kind::host:
      return "host";
    case PathStep::Kind::delay:
      return "delay";
  }
  return "unknown";
}

}  // namespace reel::analysis

namespace reel {

using namespace analysis;

namespace {

using document::number_column;
using document::word_column;
using enum ColumnKind;

constexpr RowColumn<Gap> gaps[] = {
    number_column<&Gap::begin_ns>("begin_ns", time, "from when this was the cause"),
    number_column<&Gap::end_ns>("end_ns", time, "until when"),
    word_column<&Gap::cause, IdleCause::unknown>(
        "cause",
        "`host`, `sync`, `wakeup`, `dependency`, `build`, `allocation`, `transfer`, `launch`, "
        "`capture`, `unknown`"),
    number_column<&Gap::device>("device", device, "that was idle"),
    number_column<&Gap::before>("before_command", command, "the last to end"),
    number_column<&Gap::after>("after_command", command, "the next to start"),
    number_column<&Gap::call>("call", call, "what the host did meanwhile"),
    number_column<&Gap::after_wait>(
        "after_wait", call,
        "the wait that the host had come back from, where it was in one when the device ran out of "
        "work"),
    number_column<&Gap::period>("period", number,
                                "the idle period it is a part of: one that has several causes in "
                                "turn has several rows"),
};

constexpr RowColumn<Dependency> dependencies[] = {
    number_column<&Dependency::to>("to_command", command, "the later"),
    number_column<&Dependency::from>("from_command", command,
                                     "the earlier; of a set, the last of its commands"),
    word_column<&Dependency::kind, DependencyKind::redundant>(
        "kind",
        "`data` (reads what was written), `order` (overwrites, or was told to wait), `missing` (a "
        "race), `redundant` (told to wait for nothing)"),
    number_column<&Dependency::buffer>("buffer", buffer, "the first that it goes through"),
    number_column<&Dependency::bytes>("bytes", number, "that both touch, of all buffers"),
    number_column<&Dependency::set>("from_set", index,
                                    "in `dependency_sets`: it depends on every command in it"),
    number_column<&Dependency::more_buffers>("more_buffers", number,
                                             "that it goes through beside `buffer`"),
};

constexpr RowColumn<SetMember> set_members[] = {
    number_column<&SetMember::set>("set_number", number, "from 0"),
    number_column<&SetMember::command>("command", command, "that is in it"),
    number_column<&SetMember::inner>("inner_set", index, "whose commands are all in it"),
};

constexpr RowColumn<PathStep> steps[] = {
    word_column<&PathStep::kind, PathStep::Kind::delay>(
        "kind", "`command` (it ran), `host` (the host worked), `delay` (until it started)"),
    number_column<&PathStep::command>("command", command, "that ran, was prepared or delayed"),
    number_column<&PathStep::begin_ns>("begin_ns", time, "when the step began"),
    number_column<&PathStep::end_ns>("end_ns", time, "when it ended"),
};

constexpr RowColumn<MemoryPoint> points[] = {
    number_column<&MemoryPoint::time_ns>("time_ns", time, "when it changed"),
    number_column<&MemoryPoint::bytes>("bytes", number, "allocated from then on, on all devices"),
};

constexpr RowColumn<Pass> passes[] = {
    word_column<&Pass::kind, Pass::Kind::repetition>(
        "kind",
        "what makes it one: `session`, `launch` (of a graph), `scope`, `repetition`; all are of "
        "one "
        "kind"),
    number_column<&Pass::name>("name", text, "of the session, the launch or the region"),
    number_column<&Pass::first>("first_command", command, "that belongs to it"),
    number_column<&Pass::end>("end_command", command, "the first after it"),
    number_column<&Pass::begin_ns>("begin_ns", time, "when its first call or the session began"),
    number_column<&Pass::end_ns>("end_ns", time, "when its last command or the session ended"),
    number_column<&Pass::started_ns>("started_ns", time, "its first start on a device"),
    number_column<&Pass::ended_ns>("ended_ns", time, "its last end on a device"),
    number_column<&Pass::busy_ns>("busy_ns", number, "how long a device ran its commands"),
};

}  // namespace

// clang-format off
template <> std::span<const RowColumn<Gap>> columns_of() { return gaps; }
template <> std::span<const RowColumn<Dependency>> columns_of() { return dependencies; }
template <> std::span<const RowColumn<SetMember>> columns_of() { return set_members; }
template <> std::span<const RowColumn<PathStep>> columns_of() { return steps; }
template <> std::span<const RowColumn<MemoryPoint>> columns_of() { return points; }
template <> std::span<const RowColumn<Pass>> columns_of() { return passes; }
// clang-format on

}  // namespace reel
