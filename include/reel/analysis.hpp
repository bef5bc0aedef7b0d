// analysis.hpp - what a document says about time, order and memory.
//
//   const reel::analysis::Report report = reel::analyze(trace);
//   if (report.verdict == reel::analysis::Bottleneck::host) … report.activity.idle_ns …
//
// Pure: the same trace gives the same report, byte for byte. Indices are those of the trace's
// lists, times are nanoseconds on the host's clock. What the document doesn't tell stays out, and
// is counted: a command without stamps takes part in order and memory, never in time. Commands that
// were only timed together take part in the time of devices and streams, never in that of kernels.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

// --- time ---------------------------------------------------------------------------------------

// Why a device was idle.
enum class IdleCause : std::uint8_t {
  host,        // nothing had been enqueued on it yet; after a wait that returned, too
  sync,        // the same, and the host was in a wait for something else
  wakeup,      // the device was done, and the wait of the host hadn't returned yet
  dependency,  // the next command waited for other work
  build,       // the host built a kernel
  allocation,  // the host allocated memory
  transfer,    // the host was copying bytes to or from the device
  launch,      // launch latency: the next command had been enqueued, the driver was starting it
  capture,     // recording itself took the time
  unknown      // not enough timestamps to tell
};
inline constexpr std::size_t idle_causes = 10;
const char* to_string(IdleCause cause) noexcept;

// Idle time of a device that has one cause. A period in which the device had nothing to do is as
// many gaps as it has causes in turn.
struct Gap {
  std::uint32_t device = 0;
  IdleCause cause = IdleCause::unknown;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint32_t before = no_index,
                after = no_index;  // commands: the last to end, the next to start
  std::uint32_t call = no_index;   // in trace.calls(): what the host did meanwhile
  // In trace.calls(): the wait that the host had come back from, where it was in one when the
  // device ran out of work. The time is the host's own; it would not be idle time had the host
  // enqueued before it waited.
  std::uint32_t after_wait = no_index;
  std::uint32_t period = 0;  // the number of the idle period, from 0

  std::uint64_t size_ns() const noexcept { return end_ns - begin_ns; }  // how long
};

struct TimeSpan {  // from one time to another
  std::uint64_t begin_ns = 0, end_ns = 0;
};

// A device, or a stream of one.
struct Lane {
  std::uint64_t begin_ns = 0, end_ns = 0;  // from its first start to its last end
  std::uint64_t busy_ns = 0;               // the union of what ran
  std::uint64_t sum_ns = 0;                // each command for itself; more than busy: they overlap
  std::uint32_t commands = 0, timed = 0;

  // From the first start to the last end.
  std::uint64_t span_ns() const noexcept { return end_ns - begin_ns; }
  std::uint64_t idle_ns() const noexcept { return span_ns() - busy_ns; }  // of that, without work
};

// docs/analysis.md defines each of these; busy_ns and all of idle_ns make up active_ns exactly.
struct Activity {
  std::uint64_t begin_ns = 0, end_ns = 0;  // of all that was recorded, host calls among it
  std::vector<Lane> devices, streams;      // as trace.devices(), trace.streams()
  std::vector<Gap> gaps;                   // of devices, by begin
  std::uint32_t idle_periods = 0;
  std::array<std::uint64_t, idle_causes> idle_ns{};  // all gaps, by cause
  std::uint64_t busy_ns = 0, active_ns = 0;          // of all devices: busy, and their spans
  std::uint64_t copy_ns = 0;                         // copies, reads, writes and fills, of the sum
  std::uint64_t sum_ns = 0;
  std::uint64_t timed = 0, untimed = 0;  // commands that are work of a device

  // From the first start to the last end.
  std::uint64_t span_ns() const noexcept { return end_ns - begin_ns; }
  // More than a tenth of the work has no times: devices may have been busy with it all the while.
  bool is_partly_timed() const noexcept { return untimed * 10 > timed + untimed; }
  // Whether anything is known of when commands ran.
  bool has_times() const noexcept { return active_ns > 0; }
  // From the first start on any device to the last end on any.
  TimeSpan active_span() const noexcept;
};

// What the span was bound by.
enum class Bottleneck : std::uint8_t { device, host, copies, waits, unknown };
const char* to_string(Bottleneck bottleneck) noexcept;

// --- order --------------------------------------------------------------------------------------

enum class DependencyKind : std::uint8_t {
  data,      // `to` reads what `from` wrote
  order,     // `to` overwrites what `from` read or wrote, or was told to wait for it
  missing,   // they touch the same bytes, one writes, and nothing puts them in order: a race
  redundant  // told to wait, and nothing depends on it
};
inline constexpr std::size_t dependency_kinds = 4;
const char* to_string(DependencyKind kind) noexcept;

// Of one command, or of every member of a set: what many commands wrote, or read, and one command
// then touches as a whole is one dependency, however many they were.
struct Dependency {
  std::uint32_t from = 0, to = 0;   // commands; from < to. Of a set, its last member
  std::uint32_t buffer = no_index;  // the first it goes through; none: told, without a buffer
  DependencyKind kind = DependencyKind::order;
  std::uint64_t bytes = 0;         // of all ranges both touch
  std::uint32_t set = no_index;    // in dependency_sets: `to` depends on each command in it
  std::uint32_t more_buffers = 0;  // that it goes through beside `buffer`
};

// A set has commands and other sets, which have lower numbers, as members. A command may be in it
// by several ways.
struct SetMember {
  std::uint32_t set = 0;
  std::uint32_t command = no_index;  // none: `inner` is the member
  std::uint32_t inner = no_index;
};

struct Dependencies {             // which command must wait for which
  std::vector<Dependency> edges;  // by `to`, then `from`
  std::vector<SetMember> sets;    // by set
  // From this command on, too many streams wait for each other to follow them all: commands count
  // as ordered, so no race is found there.
  std::uint32_t unfollowed_from = no_index;
};

// --- the longest chain --------------------------------------------------------------------------

// One piece of the path from the first call to the last end.
struct PathStep {
  enum class Kind : std::uint8_t {  // what it is
    command,                        // it ran
    host,                           // the host worked, or slept
    delay                           // from when a command could have started to when it did
  } kind{};
  std::uint32_t command = no_index;  // that ran; before which the host worked; that was delayed
  std::uint64_t begin_ns = 0, end_ns = 0;
};

// If all runs of a kernel took half the time.
struct WhatIf {
  std::uint32_t kernel = no_index;
  std::uint64_t span_ns = 0;  // of the whole then
};

// What a path is made of between the first start and the last end on a device: the time that busy
// shares and the verdict are about. The parts add up to that time.
struct PathParts {
  std::uint64_t command_ns = 0;  // commands on the path ran
  std::uint64_t behind_ns = 0;   // one of them waited while its device ran other commands
  std::uint64_t host_ns = 0;     // the host worked, or slept
  std::uint64_t delay_ns = 0;    // a command or the host waited, and the device was idle
  std::uint64_t capture_ns = 0;  // the same, or the host's work, and it was recording's

  // All of them.
  std::uint64_t sum_ns() const noexcept {
    return command_ns + behind_ns + host_ns + delay_ns + capture_ns;
  }
};

struct LongestPath {            // the critical path
  std::vector<PathStep> steps;  // in time, from the origin to the end; they don't overlap
  PathParts parts;
  std::vector<std::uint64_t> kernel_ns;  // by kernel: how long it ran on the path
  std::uint64_t span_ns = 0;             // of all that was recorded
  std::vector<WhatIf> halved;            // kernels with most to gain first; at most eight
};

// --- memory -------------------------------------------------------------------------------------

struct MemoryPoint {                     // what was allocated, and when
  std::uint64_t time_ns = 0, bytes = 0;  // from here on
};

// What a buffer was to commands when most memory was allocated. What was there before the document
// begins may have been used before it, and what is there when it ends may be used after it: such
// memory counts as needed on that side.
enum class PeakUse : std::uint8_t {
  not_allocated,
  needed,     // between the first command that touches it and the last
  not_yet,    // allocated within the document, and first used later
  no_longer,  // freed within the document, and last used before
  never       // no command of the document touches it
};
const char* to_string(PeakUse use) noexcept;  // "not yet used", as `reel memory` says

struct BufferUse {                                  // when a buffer was used
  std::uint32_t first = no_index, last = no_index;  // commands that touch it
  std::uint32_t reads = 0, writes = 0;              // commands
  std::uint32_t first_read = no_index, last_read = no_index;
  std::uint64_t alive_from_ns = 0, alive_to_ns = 0;  // within the span
  bool at_peak = false;                              // allocated then
  PeakUse peak_use = PeakUse::not_allocated;
  bool needed_at_peak = false;  // its peak_use
  bool outlives = false;        // not freed within the capture
};

struct Memory {                    // what was allocated, and when
  std::vector<MemoryPoint> curve;  // by time; the first at the beginning of the span
  std::uint64_t peak_ns = 0, peak_end_ns = 0, peak_bytes = 0;
  std::uint64_t needed_at_peak_bytes = 0;  // of those allocated then
  std::vector<BufferUse> buffers;          // as trace.buffers()
};

// --- repetition ---------------------------------------------------------------------------------

// Commands first to first + period * count are the same work `count` times.
struct Repetition {
  std::uint32_t first = 0, period = 0, count = 0;
};

// One of the times the program did its work. All passes of a document are of one kind, the best by
// the rule in docs/analysis.md; what comes before the first and after the last is set-up.
struct Pass {
  enum class Kind : std::uint8_t {  // what it is
    session,                        // the program's own session
    launch,                         // a launch of a graph, outside of sessions
    scope,                          // a region or scope that comes again and again
    repetition                      // the same commands again and again
  } kind{};
  std::uint32_t first = 0, end = 0;        // commands
  std::uint64_t begin_ns = 0, end_ns = 0;  // of the session, or from its first call to its last end
  std::uint64_t started_ns = 0, ended_ns = 0;  // first start and last end on a device; 0: not known
  std::uint64_t busy_ns = 0;                   // the union of what ran on a device
  std::uint32_t name = 0;                      // text: of the session, the launch or the region

  // From its first start to its last end: what passes are compared by.
  std::uint64_t took_ns() const noexcept { return ended_ns - started_ns; }
};
const char* to_string(Pass::Kind kind) noexcept;

// --- kernels ------------------------------------------------------------------------------------

struct KernelUsage {
  std::uint32_t kernel = 0;
  std::uint64_t count = 0, timed = 0;  // dispatches
  std::uint64_t total_ns = 0, mean_ns = 0, min_ns = 0, p50_ns = 0, p95_ns = 0, max_ns = 0;
  double variation = 0;  // standard deviation over mean
  // Dispatches that were only timed together with other commands, and how long these intervals are:
  // an upper bound of what it took in them.
  std::uint64_t together = 0, together_ns = 0;
  // Of all ranges given, of all timed dispatches; of one that is read and written twice.
  std::uint64_t bound_bytes = 0;
  std::uint32_t shapes = 0;                         // different launch sizes
  std::uint32_t first = no_index, last = no_index;  // commands

  // An upper bound of what it moved: as if each run read or wrote all of its ranges once.
  double bandwidth() const noexcept {
    return total_ns ? static_cast<double>(bound_bytes) / static_cast<double>(total_ns) : 0;
  }  // GB/s
};

// A parameter that its kernel may write by its declaration, and that was left as it was each time
// one could see it; `times` of them. Of programs recorded by their calls: others say themselves.
struct LeftAlone {
  std::uint32_t kernel = 0, parameter = 0;
  std::uint64_t times = 0;
};

// --- all of it ----------------------------------------------------------------------------------

struct Report {
  Activity activity;
  Bottleneck verdict = Bottleneck::unknown;
  std::vector<Dependency> dependencies;            // by `to`, then `from`
  std::vector<SetMember> dependency_sets;          // by set
  std::uint32_t order_unfollowed_from = no_index;  // Dependencies::unfollowed_from
  LongestPath path;
  Memory memory;
  std::vector<Repetition> repetitions;  // by first; they don't overlap
  std::vector<Pass> passes;             // in order, they don't overlap; none: nothing repeats
  std::vector<KernelUsage> kernels;     // by total time, the longest first; all of the trace's
  std::vector<std::uint64_t> own_ns;    // by command: a launch whose nodes are there takes none
};

struct AnalysisOptions {  // what analyze() is to do
  // What is done, and how much of it (0 to 1), now and then.
  std::function<void(std::string_view what, double part)> progress = {};
  // False: these and their sets stay empty. They take longest, and nothing else in a report needs
  // them; findings do.
  bool dependencies = true;
};
// Everything that follows from a document; find_insights() goes by it.
Report analyze(const Trace& trace, const AnalysisOptions& options = {});

// The single questions; analyze() asks them in this order. Dependencies know what was left alone.
std::vector<std::uint64_t> own_run_ns(const Trace& trace);
// Of all that was recorded. Its begin is the origin that every text counts from; 0 to 0: no times.
TimeSpan find_span(const Trace& trace);
Activity find_activity(const Trace& trace);          // busy and idle time, by cause
Bottleneck find_verdict(const Activity& activity);   // what bounds it
Dependencies find_dependencies(const Trace& trace);  // who waits for whom, and why
LongestPath find_longest_path(const Trace& trace, const Activity& activity);  // the critical path
Memory find_memory(const Trace& trace, const Activity& activity);  // allocations, and the peak
std::vector<Repetition> find_repetitions(const Trace& trace);      // of commands
// The document ends before its recording did: it is damaged, was recovered from one that is, or the
// recording lost something. Its last pass may be a part of one.
bool was_cut(const Trace& trace);
// Parts of the run that repeat: by scopes, regions or commands.
std::vector<Pass> find_passes(const Trace& trace, const std::vector<Repetition>& repetitions);
std::vector<KernelUsage> find_kernel_usage(const Trace& trace);  // longest first
std::vector<LeftAlone> find_left_alone(const Trace& trace);      // by kernel, then parameter
bool was_left_alone(const std::vector<LeftAlone>& found, const TraceWork& work,
                    std::size_t argument) noexcept;  // this argument

// Every dependency from and to one command, none of them of a set: by `to`, then `from`. Takes the
// time of one walk over the commands.
std::vector<Dependency> find_dependencies_of(const Trace& trace, std::uint32_t command);

}  // namespace reel::analysis

namespace reel {
using analysis::analyze;
}  // namespace reel
