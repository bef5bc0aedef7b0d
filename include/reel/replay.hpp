// replay.hpp - runs a document again, and compares every byte it wrote with what was recorded.
//
//   const reel::Trace trace = reel::Trace::load("pass.reel");
//   const reel::ReplayReport report = reel::replay(trace);      // where it was recorded
//   if (report.verdict() == reel::Verdict::equal) …
//
// Inputs are restored from the document, kernels built from its sources, commands given again. A
// device's results are never restored, so a wrong kernel can't hide. What could not be compared is
// counted as not checked, with the reason. Throws where the document can't be run here at all:
// unsupported, build_failed, out_of_memory, no_device, timed_out; damaged_document where contents
// don't match their hashes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reel/device.hpp"
#include "reel/elements.hpp"
#include "reel/trace.hpp"

namespace reel {

enum class ReplayOrder : std::uint8_t {  // in which commands run
  recorded,                              // on as many streams, with the same waits between them
  sequential,                            // one after the other, as a graph that is a chain
  relaxed,  // as the optimised graph: only what conflicting byte ranges demand
};
const char* to_string(ReplayOrder order) noexcept;

// A real number passes when |found - expected| <= relative |expected| + absolute. NaN equals NaN;
// whole numbers and bytes of no known type must be equal.
struct Tolerance {
  double relative = 0;
  std::optional<double> absolute =
      {};  // none: 0.1 x relative x the largest |expected| of the range
};
// For a device other than the recorded one: 1e-4, of 16-bit reals 1e-2.
Tolerance default_tolerance(ElementType type);

// Another source for a kernel, to see what it does to time and results.
struct Replacement {
  KernelForm form = KernelForm::opencl_c;  // or glsl
  std::string text;
};

struct ReplayOptions {  // how it is run
  ReplayOrder order = ReplayOrder::recorded;
  std::uint32_t repeat = 1;               // runs that are measured; more than one: after a warm-up
  std::uint32_t from = 0, to = no_index;  // commands that are measured and checked; those before
                                          // are run, those after are not
  std::optional<Tolerance> tolerance = {};  // none: exact where it was recorded, else the default
  bool find_culprit = false;       // the first command that differs, with more runs if need be
  bool find_nan = false;           // the first command that writes NaN or infinity
  std::uint32_t time_limit_s = 0;  // for any one command; 0: none. The device can't be used after
  bool one_by_one = false;  // each command is waited for before the next is enqueued: slow, but a
                            // driver that crashes does so in the command that is running
  std::map<std::uint32_t, Replacement> replacements = {};  // by index in trace.kernels()
  // Commands that are not run, to see whether anybody needs them: memory stays as others left it.
  // What was recorded right after one of them and overwritten later is not compared.
  std::set<std::uint32_t> without = {};
  std::vector<TraceOrder> without_waits =
      {};  // of trace.orders(); order `recorded` alone has waits
  std::map<std::uint32_t, ElementType> types = {};  // of buffers, where kernels don't tell
  bool accept_differences = false;  // extract: what commands give now counts, recorded or not
  // What is done, and how much of it (0 to 1), now and then; from any thread, one at a time.
  std::function<void(std::string_view what, double part)> progress = {};
  // Receives the index of the command that is running, no_index between commands: shared memory
  // here still tells after the process has crashed.
  std::atomic<std::uint32_t>* at_work = nullptr;
};

// Bytes that differ, and who wrote them.
struct Difference {
  std::uint32_t command = no_index;  // the last one that wrote them; none: no recorded one
  std::uint32_t check = no_index;    // the command after which they were recorded
  std::uint32_t buffer = no_index;
  std::uint64_t offset_bytes = 0;  // of the first element; of the page, where only hashes are known
  std::optional<ElementType> type = {};
  std::string expected = {};  // empty: recorded as a hash
  std::string found = {};
  std::uint64_t elements = 0;  // how many of this check differ; 0: not known
  std::string hint = {};       // a sentence on why that may be; empty: nothing is known
};

enum class Verdict : std::uint8_t {  // of a replay
  equal,                             // every check, to the bit
  within_tolerance,                  // every check, some not to the bit
  different,                         // some check is not
  not_proved,  // none differs, but not all could be checked, or the document is not whole
};
const char* to_string(Verdict verdict) noexcept;

struct BufferReport {  // what a buffer held
  std::uint32_t buffer = no_index;
  std::uint64_t checks = 0;
  std::uint64_t equal_bytes = 0, close_bytes = 0, different_bytes = 0, unchecked_bytes = 0;
  std::optional<ElementType> type = {};
  // Over all checked elements of a known real type.
  double largest_absolute = 0, largest_relative = 0;
  std::uint64_t largest_ulp = 0;
  bool same_in_every_run = true;
};

struct Unchecked {  // what could not be compared
  std::string reason;
  std::uint64_t checks = 0, bytes = 0;
};

// Two commands that touch the same bytes, one of them writing, and nothing puts them in order.
struct Race {
  std::uint32_t first = no_index, second = no_index;  // as recorded
  std::uint32_t buffer = no_index;                    // none: no declared range tells
  std::uint64_t begin = 0, end = 0;
  bool observed = false;  // the other order gave other results; else only nothing forbids it
  // Both are known to touch these bytes: the program, or the kind of command, says so. Of a kernel
  // that a foreign program gave a whole buffer, the bytes it uses are unknown.
  bool is_certain = true;
  // By their times one had ended before the other began; the replay keeps that order.
  bool is_kept = false;
};

// Of one command or kernel over the measured runs, in nanoseconds.
struct Spread {
  std::uint32_t runs = 0;
  double min = 0, median = 0, p95 = 0, max = 0;
  double noise = 0;  // half the interquartile range, as a part of the median
};

struct CommandTiming {  // of one command
  std::uint32_t command = no_index;
  std::optional<std::uint64_t> recorded_ns;
  Spread replayed;
};

struct KernelTiming {  // of all runs of a kernel
  std::uint32_t kernel = no_index;
  std::uint32_t commands = 0;
  std::optional<std::uint64_t> recorded_ns;  // all of its commands together, here and below
  Spread replayed;
  std::optional<Spread> original;  // of a replaced kernel: what it took before, in the same process
};

// A command that could not be run again, and why.
struct LeftOut {
  std::uint32_t command = no_index;
  std::string reason;  // a sentence
};

struct NanReport {  // the first NaN
  std::uint32_t command = no_index, buffer = no_index;
  std::uint64_t offset_bytes = 0;
  std::string value;
  bool was_read = false;  // some byte that the command read had one already
};

struct ReplayReport {
  std::string device;           // where it ran
  std::string recorded_device;  // where it was recorded
  bool is_recorded_device = false;
  ReplayOrder order = ReplayOrder::recorded;
  std::uint64_t commands = 0;  // that were run again
  std::uint64_t skipped = 0;   // host calls, refused commands, those left out: not run
  // Commands that can't be run here: what the recorder says can't, kernels that don't build, bytes
  // that are not in the document, and all that need what these would have written. In order.
  std::vector<LeftOut> left_out;
  std::vector<std::string> remarks;
  // What of the document is missing or damaged, a sentence each: then nothing is proved.
  std::vector<std::string> incomplete;
  bool is_damaged = false;            // it can't be read to its end, or says other than it holds
  std::vector<std::string> warnings;  // what the program relied on and did not ask for

  std::uint64_t checks = 0, equal_checks = 0, close_checks = 0, different_checks = 0;
  std::uint64_t checked_bytes = 0, equal_bytes = 0;
  std::vector<Unchecked> unchecked;
  std::vector<BufferReport> buffers;
  std::vector<Difference> differences;   // by command; at most 100
  std::vector<Race> races;               // certain ones
  std::vector<Race> possible_races;      // no reason for a verdict; at most 100
  std::optional<std::uint32_t> culprit;  // the first command known to do something else
  std::string culprit_reason;            // how that is known, or why it is not
  std::optional<NanReport> first_nan;    // when asked for
  std::vector<std::uint32_t> unsteady;   // buffers that differ between runs of this device
  bool was_run_again = false;  // once more, to see whether what differs is the same each time

  bool is_timed = false;
  std::uint32_t runs = 0;
  bool warmed_up = false;
  std::optional<std::uint64_t> recorded_span_ns;  // first start to last end, gaps included
  // How long those ran that were only timed together: no CommandTiming has it.
  std::uint64_t recorded_together_ns = 0;
  Spread span;
  std::vector<CommandTiming> command_times;  // by command
  std::vector<KernelTiming> kernel_times;    // the longest first
  std::uint64_t restore_ns = 0, restored_bytes = 0, check_ns = 0;

  Verdict verdict() const;  // of all checks
};

// On the device where it was recorded, as far as one like it is here; a document of several devices
// on each of them.
ReplayReport replay(const Trace& trace, const ReplayOptions& options = {});
// All of it on this device.
ReplayReport replay(const Trace& trace, const Device& device, const ReplayOptions& options = {});

// Pairs that nothing in the document puts in order: no stream, no wait, no edge of a graph. At most
// 100; is_certain tells of which of them it is known that they share bytes.
std::vector<Race> find_races(const Trace& trace);

struct ExtractReport {  // what was written
  std::string path = {};
  std::uint64_t commands = 0, document_bytes = 0;
  ReplayReport replay = {};  // of the whole document, during which the part was recorded
};
// These commands as a document of their own: runs everything, and records them with the bytes that
// they need and make. Throws invalid_argument where the replay is different and that isn't
// accepted: what they read would not be what was recorded. `path` must not exist.
ExtractReport extract(const Trace& trace, const std::vector<std::uint32_t>& commands,
                      const std::string& path, const ReplayOptions& options = {});
ExtractReport extract(const Trace& trace, const Device& device,
                      const std::vector<std::uint32_t>& commands, const std::string& path,
                      const ReplayOptions& options = {});

}  // namespace reel
