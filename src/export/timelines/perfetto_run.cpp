// perfetto_run.cpp - documents of one run in one file for Perfetto: each host is a machine, each
// document a process of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/fail.hpp"
#include "export/export_formats.hpp"
#include "export/timelines/perfetto_document.hpp"
#include "export/timelines/perfetto_tracks.hpp"
#include "reel/common_clock.hpp"
#include "reel/error.hpp"
#include "reel/units.hpp"

namespace reel {
namespace {

using analysis::ClockBasis;
using perfetto::Packets;
using perfetto::RunPlace;

// Above what Linux numbers processes by.
constexpr std::uint32_t first_made_pid = 1u << 22;
// Where documents that aren't aligned begin: 0 is taken for no time by some.
constexpr std::int64_t unaligned_start_ns = 1'000'000'000;

std::string fact_of(const Trace& trace, const char* name) {
  const auto fact = trace.facts().find(name);
  return fact == trace.facts().end() ? std::string() : fact->second;
}

// What is kept of a document before any is written.
struct Member {
  std::string path, rank, host, boot_id;
  std::uint32_t pid = 0;
  std::uint64_t begin_ns = 0, end_ns = 0, commands = 0;
  std::vector<TraceDevice> devices;
  analysis::ClockSource clock;

  std::string name() const {
    return rank.empty() ? std::filesystem::path(path).stem().string() : "rank " + rank;
  }
  std::string machine() const { return boot_id.empty() ? host : boot_id; }
};

Member member_of(const Trace& trace) {
  const analysis::Activity activity = analysis::find_activity(trace);
  return {trace.path(),
          fact_of(trace, "rank"),
          fact_of(trace, "host"),
          fact_of(trace, "boot_id"),
          perfetto::process_of(trace),
          activity.begin_ns,
          activity.end_ns,
          trace.commands().size(),
          trace.devices(),
          analysis::clock_source(trace)};
}

// Of any time of the document. Between two readings of its clock the error is largest at one of
// them, or in the middle.
std::optional<std::uint64_t> largest_error(const analysis::CommonClock& clock, const Member& one) {
  std::vector<std::uint64_t> times{one.begin_ns, one.end_ns};
  for (const TraceClock& row : one.clock.rows)
    if (row.time_ns > one.begin_ns && row.time_ns < one.end_ns) times.push_back(row.time_ns);
  std::ranges::sort(times);
  for (std::size_t i = times.size() - 1; i > 0; --i)
    times.push_back(times[i - 1] + (times[i] - times[i - 1]) / 2);
  std::uint64_t largest = 0;
  for (const std::uint64_t time : times) {
    const auto at = clock.at(time);
    if (!at || !at->error_ns) return std::nullopt;
    largest = std::max(largest, *at->error_ns);
  }
  return largest;
}

class RunExport {
 public:
  RunExport(const std::vector<std::string>& paths, const RunExportOptions& options)
      : options_(options) {
    for (const std::string& path : paths) read(path);
    if (members_.empty()) {
      std::string why;
      for (const std::string& sentence : report_.left_out) why += " " + sentence;
      fail(Code::invalid_argument, "None of the {} can be read.{}",
           count_text(paths.size(), "document"), why);
    }
    std::ranges::stable_sort(members_, {}, [](const Member& one) {
      return std::pair(one.rank.size(), one.rank);  // numbers without leading zeros
    });
    align();
    place();
  }

  ExportReport write(const std::string& path) {
    unsigned mode = 0777;
    for (const Member& one : members_) mode &= mode_of(one.path);
    ExportFile file(mode, path, {.overwrite = options_.overwrite});
    Packets packets(file);
    std::set<std::uint32_t> told;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      tell(members_[i].path, i, members_.size());
      const Trace trace = Trace::load(members_[i].path);
      packets.enter(places_[i]);
      // One host, aligned: times are its own clock's.
      const bool says_clock = i == 0 && machines_.size() == 1 && !options_.unaligned;
      packets.begin(says_clock ? std::optional(packets.time_of(members_[i].begin_ns))
                               : std::nullopt);
      if (told.insert(machine_number(members_[i])).second) write_machine(members_[i], packets);
      const analysis::Activity activity = analysis::find_activity(trace);
      const std::uint64_t cut = perfetto::write_document(trace, activity, packets);
      ExportReport own;
      tell_untimed(trace, own);
      tell_cut(cut, own);
      for (const std::string& sentence : own.left_out)
        report_.left_out.push_back(fmt::format("{}: {}", members_[i].path, sentence));
    }
    report_.bytes = file.keep();
    report_.files = {path};
    return std::move(report_);
  }

 private:
  void tell(const std::string& what, std::size_t done, std::size_t of) const {
    if (options_.progress)
      options_.progress(what, static_cast<double>(done) / static_cast<double>(of));
  }

  void read(const std::string& path) {
    try {
      const Trace trace = Trace::load(path);
      members_.push_back(member_of(trace));
      if (!trace.is_complete())
        report_.left_out.push_back(fmt::format(
            "{} is incomplete: {}", path,
            trace.problems().empty() ? "It was never closed." : trace.problems().front()));
    } catch (const Error& error) {
      report_.left_out.push_back(fmt::format("{} is left out: {}", path, error.what()));
    }
  }

  // --- clocks ---

  // Two that can't be compared, for the sentence that refuses.
  std::string strangers() const {
    for (const Member& one : members_)
      if (one.boot_id.empty()) return fmt::format("{} doesn't tell which host it is of", one.path);
    for (const Member& one : members_)
      if (one.boot_id != members_.front().boot_id)
        return fmt::format(
            "{} is of the host '{}' and {} of '{}', which didn't compare their clocks",
            members_.front().path, members_.front().host, one.path, one.host);
    return {};
  }

  void align() {
    if (options_.unaligned) {
      report_.left_out.emplace_back(
          "Each document begins at the same moment (--unaligned): what happened before what, and "
          "how much later, is only told within a document.");
      return;
    }
    std::vector<analysis::ClockSource> sources;
    for (const Member& one : members_) sources.push_back(one.clock);
    clocks_ = analysis::common_clocks(sources);
    std::uint64_t largest = 0, second = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto error = largest_error(clocks_[i], members_[i]);
      if (!error)
        fail(
            Code::invalid_argument,
            "The documents have no common clock: {}. Laid together, order between them would mean "
            "nothing. Capture with --clocks (reel capture --help), or give --unaligned, which lets "
            "each document begin at the same moment.",
            strangers());
      errors_.push_back(*error);
      second = std::max(second, std::min(largest, errors_.back()));
      largest = std::max(largest, errors_.back());
    }
    if (largest + second > 0)
      report_.left_out.push_back(
          fmt::format("Times of two documents are right to {} against each other: hosts compared "
                      "their clocks by messages.",
                      time_text(largest + second)));
  }

  // --- where each document is ---

  std::uint32_t machine_number(const Member& one) const { return machines_.at(one.machine()); }

  void place() {
    for (const Member& one : members_)
      machines_.try_emplace(one.machine(), static_cast<std::uint32_t>(machines_.size() + 1));
    std::set<std::pair<std::uint32_t, std::uint32_t>> pids;
    std::uint64_t event = 1;
    std::uint32_t made_pid = first_made_pid;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& one = members_[i];
      const std::uint32_t machine = machine_number(one);
      RunPlace place;
      place.sequence = static_cast<std::uint32_t>(i + 1);
      // A machine without a number is the one that has the others' packets sent to it.
      place.machine = machines_.size() > 1 ? machine : 0;
      // Two containers of a host may have processes of the same number.
      place.pid = one.pid && pids.emplace(machine, one.pid).second ? one.pid : made_pid++;
      place.prefix = one.name() + ": ";
      place.first_event = event;
      place.first_gpu = devices_[machine].size();
      for (const TraceDevice& device : one.devices)
        devices_[machine].push_back({device, place.prefix});
      if (options_.unaligned) {
        place.shift_ns = unaligned_start_ns - static_cast<std::int64_t>(one.begin_ns);
        place.note = "not aligned: order between documents means nothing";
      } else {
        place.clock = &clocks_[i];
        place.note =
            fmt::format("aligned by {}, ±{}", to_string(clocks_[i].basis()), time_text(errors_[i]));
      }
      event += one.commands;
      places_.push_back(std::move(place));
    }
  }

  void write_machine(const Member& one, Packets& packets) {
    if (machines_.size() > 1) {
      perfetto::Message info;
      info.text(17, one.host.empty() ? one.name() : one.host);
      packets.write(45, info);
    }
    perfetto::write_devices(devices_[machine_number(one)], packets);
  }

  RunExportOptions options_;
  ExportReport report_;
  std::vector<Member> members_;
  std::vector<analysis::CommonClock> clocks_;
  std::vector<std::uint64_t> errors_;
  std::vector<RunPlace> places_;
  std::map<std::string, std::uint32_t> machines_;  // by boot id, or host; from 1
  std::map<std::uint32_t, std::vector<perfetto::MachineDevice>> devices_;  // by machine
};

}  // namespace

ExportReport export_run(const std::vector<std::string>& paths, const std::string& path,
                        const RunExportOptions& options) {
  return RunExport(paths, options).write(path);
}

}  // namespace reel
