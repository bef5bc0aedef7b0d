#include "analysis/diff/cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reel/units.hpp"

namespace reel::analysis {

namespace {

std::string size(std::int64_t ns) { return time_text(static_cast<std::uint64_t>(std::abs(ns))); }
const char* how(std::int64_t delta) { return delta > 0 ? "slower" : "faster"; }

const char* longer(std::int64_t delta) { return delta > 0 ? "longer" : "shorter"; }

std::string share(const DiffTime& time) {
  if (time.ns_a == 0) return "";
  return fmt::format(" ({:+.1f}%)",
                     100.0 * static_cast<double>(time.delta_ns()) / static_cast<double>(time.ns_a));
}

bool goes_with(const DiffTime& part, std::int64_t delta) {
  return part.delta_ns() != 0 && (part.delta_ns() > 0) == (delta > 0);
}

std::string medians(const DiffTime& time) {
  if (!time.p) return fmt::format("{}, was {}", time_text(time.ns_b), time_text(time.ns_a));
  return fmt::format("{} ± {}, was {} ± {}", time_text(time.ns_b), time_text(time.spread_b_ns),
                     time_text(time.ns_a), time_text(time.spread_a_ns));
}

// "The device was idle 3 ms more, mostly for …".
const char* words_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::host:
      return "want of commands from the host";
    case IdleCause::sync:
      return "waits of the host for something else";
    case IdleCause::wakeup:
      return "waits of the host that returned late";
    case IdleCause::dependency:
      return "other work that it waited for";
    case IdleCause::build:
      return "kernels that the host built";
    case IdleCause::allocation:
      return "memory that the host allocated";
    case IdleCause::transfer:
      return "bytes that the host copied";
    case IdleCause::launch:
      return "launch latency";
    case IdleCause::capture:
      return "recording";
    case IdleCause::unknown:
      break;
  }
  return "causes that can't be told";
}

class Sentence {
 public:
  Sentence(const TraceDiff& diff, const Side& a, const Side& b) : diff_(diff), a_(a), b_(b) {}

  std::string text() const {
    if (diff_.a.commands == 0 && diff_.b.commands == 0) return "Neither document has commands.";
    if (!a_.has_whole_pass() || !b_.has_whole_pass()) return no_whole_pass();
    if (!diff_.comparable)
      return "The documents have nothing in common that could be compared: kernels and copies of "
             "one make up less than a tenth of the other.";
    return devices() + (diff_.total.comparable ? counts() + times() : taken_apart()) + cut();
  }

 private:
  std::string no_whole_pass() const {
    const bool neither = !a_.has_whole_pass() && !b_.has_whole_pass();
    return fmt::format(
        "Times can't be compared: {} cut off before a whole pass of {} was recorded. Only whole "
        "passes are compared where a document ends too early.",
        neither ? "both documents were"
                : fmt::format("'{}' was", (a_.has_whole_pass() ? b_ : a_).trace().path()),
        neither ? "either" : "it");
  }

  // A graph against single commands, where recording takes the graph apart. What the graph gains is
  // in neither document; a replay of the other one can measure it.
  std::string taken_apart() const {
    const std::string prefix = counts();
    std::string text = fmt::format(
        "Whether the graph {} makes a pass faster can't be told: a capture enqueues its nodes one "
        "by "
        "one on this device, and without a capture it is launched as one. {}As recorded, {}",
        diff_.b.launches ? "after" : "before", prefix, medians(diff_.total));
    text += have_kernels_changed() ? part() : kernels();
    return fmt::format("{}. 'reel insights {} --prove' measures what a graph gains.", text,
                       (diff_.b.launches ? a_ : b_).trace().path());
  }

  // What was cut off is in no number, and whoever reads them must know.
  std::string cut() const {
    const auto one = [](const Side& side) {
      return fmt::format("'{}' was cut off: its {} compared", side.trace().path(),
                         side.passes().size() == 1
                             ? std::string("one whole pass is")
                             : fmt::format("{} whole passes are", side.passes().size()));
    };
    std::string text;
    for (const Side* side : {&a_, &b_})
      if (was_cut(side->trace())) text += " " + one(*side) + ".";
    return text;
  }

  // Another device explains more than anything that follows.
  std::string devices() const {
    const std::string a = devices_of(a_), b = devices_of(b_);
    return a == b ? "" : fmt::format("On another device: {}, {} before. ", b, a);
  }
  static std::string devices_of(const Side& side) {
    std::string text;
    for (const TraceDevice& device : side.trace().devices())
      text += fmt::format("{}'{}' ({})", text.empty() ? "" : " and ", device.name, device.backend);
    return text.empty() ? "none" : text;
  }

  // What differs in number comes first: times of unlike work mean little.
  std::string counts() const {
    const DiffSide &a = diff_.a, &b = diff_.b;
    if (a.commands == b.commands) return "";
    const bool has_passes = a.passes > 1 && b.passes > 1;
    return fmt::format("{} {}, {} before. ", count_text(b.commands, "command"),
                       has_passes ? "a pass" : "in what is compared", a.commands);
  }

  std::string times() const {
    const DiffTime& total = diff_.total;
    if (total.ns_a == 0 || total.ns_b == 0)
      return "One of them has no timestamps, so only the commands are compared.";
    if (!total.p) return too_few();
    if (total.significant) return significant() + between() + ".";
    const std::string none = fmt::format("No significant difference in total: {}", medians(total));
    return none + part() + common() + ".";
  }

  // The whole is a little slower or faster, and so is every kernel.
  std::string common() const {
    if (!diff_.common || std::abs(*diff_.common) < 0.02 || std::abs(*diff_.common) > 0.1) return "";
    const double change = static_cast<double>(diff_.total.delta_ns()) /
                          static_cast<double>(diff_.total.ns_a) / *diff_.common;
    if (change < 0.5 || change > 2) return "";  // other things happened
    return "; " + typical_kernel("took");
  }

  std::string too_few() const {
    const auto [fewer, more] = std::minmax(diff_.a.passes, diff_.b.passes);
    const std::string passes = more == 1 ? "one pass of each is"
                                         : fmt::format("{} of one and {} of the other are",
                                                       count_text(fewer, "pass"), more);
    return fmt::format(
        "{} a pass, was {}{}; {} too few to tell a change from noise. Record {} or "
        "more passes of each.",
        time_text(diff_.total.ns_b), time_text(diff_.total.ns_a), share(diff_.total), passes,
        steady_times + 1);
  }

  // A part that changed though the whole didn't: the largest one by name.
  std::string part() const {
    std::vector<std::pair<std::int64_t, std::string>> parts;
    const auto add = [&](const DiffTime& time, std::string text) {
      if (time.significant) parts.emplace_back(std::abs(time.delta_ns()), std::move(text));
    };
    for (const DiffKernel& kernel : diff_.kernels)
      add(kernel.time, fmt::format("'{}'{} is {} {}{}", kernel.name,
                                   kernel.rows > 1 ? fmt::format(" in {} places", kernel.rows) : "",
                                   size(kernel.time.delta_ns()), how(kernel.time.delta_ns()),
                                   share(kernel.time)));
    // A row whose kernel as a whole doesn't differ.
    if (parts.empty())
      for (const DiffRow& row : diff_.rows)
        add(row.time,
            fmt::format("'{}' in {} is {} {}{}", row.name, row.scope, size(row.time.delta_ns()),
                        how(row.time.delta_ns()), share(row.time)));
    const auto idle_text = [&](const DiffTime& time, const char* what) {
      return fmt::format("{} {} {}{}", what, size(time.delta_ns()), longer(time.delta_ns()),
                         share(time));
    };
    const std::string enqueued = enqueuing();
    add(diff_.idle, idle_text(diff_.idle, "the device was idle") +
                        (enqueued.empty() ? "" : ", because " + enqueued));
    add(diff_.between, idle_text(diff_.between, "between passes it was idle"));
    if (parts.empty()) return "";
    std::ranges::stable_sort(parts, std::ranges::greater{}, &decltype(parts)::value_type::first);
    std::string text = "; but " + parts[0].second;
    if (parts.size() == 2) text += ", and " + parts[1].second;
    if (parts.size() > 2) text += fmt::format(", and {} other parts changed", parts.size() - 1);
    return text;
  }

  std::string significant() const {
    const std::int64_t delta = diff_.total.delta_ns();
    const std::string head =
        fmt::format("{} {} a pass{}", size(delta), how(delta), share(diff_.total));
    const DiffKernel* top = nullptr;
    const auto is_larger = [](const DiffTime& x, const DiffTime& y) {
      return std::pair(x.significant, std::abs(x.delta_ns())) >
             std::pair(y.significant, std::abs(y.delta_ns()));
    };
    for (const DiffKernel& kernel : diff_.kernels)
      if (goes_with(kernel.time, delta) && (!top || is_larger(kernel.time, top->time)))
        top = &kernel;
    if (goes_with(diff_.idle, delta) && (!top || is_larger(diff_.idle, top->time))) {
      if (diff_.idle.significant) return head + ": " + idle();
      return head + "; no part of it is significant alone, the largest is idle time: " + idle();
    }
    if (!top) return head + ", in no part more than in others";
    if (!top->time.significant)
      return fmt::format("{}; no part of it is significant alone, the largest is '{}' ({} {})",
                         head, top->name, size(top->time.delta_ns()), how(delta));
    return head + ": " + kernel(*top, delta) + throughout();
  }

  // The typical kernel changed as the whole did, and nothing in the documents tells why: naming one
  // of them alone would blame it for what another machine does to all.
  std::string throughout() const {
    const DiffTime& total = diff_.total;
    if (!diff_.common || total.ns_a == 0) return "";
    const double part = static_cast<double>(total.delta_ns()) / static_cast<double>(total.ns_a);
    if (*diff_.common * part <= 0 || std::abs(*diff_.common) * 2 < std::abs(part)) return "";
    if (std::ranges::any_of(diff_.rows, [](const DiffRow& row) { return !reason(row).empty(); }))
      return "";
    return "; but " + typical_kernel("takes");
  }

  std::string typical_kernel(const char* takes) const {
    const bool is_longer = *diff_.common > 0;
    const std::string text =
        fmt::format("the typical kernel {} {:.0f}% {}", takes, 100 * std::abs(*diff_.common),
                    is_longer ? "longer" : "shorter");
    if (!devices().empty()) return text;
    return fmt::format("{}, as on a {} machine or with another clock", text,
                       is_longer ? "busier" : "quieter");
  }

  // Not part of the total, and whoever looks at the whole run must know.
  std::string between() const {
    if (!diff_.between.significant) return "";
    return fmt::format("; between passes it was idle {} {}", size(diff_.between.delta_ns()),
                       longer(diff_.between.delta_ns()));
  }

  std::string idle() const {
    std::string text = fmt::format("the device was idle {} {}", size(diff_.idle.delta_ns()),
                                   longer(diff_.idle.delta_ns()));
    if (const std::string enqueued = enqueuing(); !enqueued.empty())
      text += ", because " + enqueued;
    else
      text += idle_cause();
    if (!have_kernels_changed()) text += kernels();
    return text;
  }

  // Of kernels of which none changed significantly. What the medians say is another matter.
  std::string kernels() const {
    const DiffTime& busy = diff_.busy;
    if (static_cast<std::uint64_t>(std::abs(busy.delta_ns())) * 10 <= busy.ns_a)
      return "; kernels take as long as before";
    return fmt::format("; kernels took {} {}{}, but not significantly", size(busy.delta_ns()),
                       longer(busy.delta_ns()), share(busy));
  }

  // Together or any of them; where nothing was tested, nobody can say that they didn't.
  bool have_kernels_changed() const {
    const auto has_changed = [](const auto& part) { return part.time.significant; };
    return !diff_.busy.p || diff_.busy.significant ||
           std::ranges::any_of(diff_.kernels, has_changed) ||
           std::ranges::any_of(diff_.rows, has_changed);
  }

  // Whether the same commands reach the device in another way.
  std::string enqueuing() const {
    const DiffSide &a = diff_.a, &b = diff_.b;
    const auto in_words = [](const DiffSide& side) {
      const std::string commands = count_text(side.commands, "command");
      if (side.launches == 0) return commands + " one by one";
      if (side.enqueued == side.launches)
        return fmt::format("{} in {}", commands,
                           side.launches == 1 ? std::string("one graph launch")
                                              : count_text(side.launches, "graph launch"));
      return fmt::format("{} in {} calls, {} of them", commands, side.enqueued,
                         side.launches == 1 ? "one graph launch"
                                            : fmt::format("{} graph launches", side.launches));
    };
    const bool fewer = b.enqueued * 2 <= a.enqueued && diff_.idle.delta_ns() < 0;
    const bool more = a.enqueued * 2 <= b.enqueued && diff_.idle.delta_ns() > 0;
    if (!fewer && !more) return "";
    const std::string before = in_words(a);
    const std::string commands = count_text(a.commands, "command") + " ";
    return fmt::format("the host enqueues {}, not {}", in_words(b),
                       a.commands == b.commands ? before.substr(commands.size()) : before);
  }

  // Which cause of idle time grew or shrank most.
  std::string idle_cause() const {
    std::size_t most = 0;
    std::int64_t largest = 0;
    for (std::size_t cause = 0; cause < idle_causes; ++cause) {
      const auto of = static_cast<IdleCause>(cause);
      const auto change =
          static_cast<std::int64_t>(b_.idle_ns(of)) - static_cast<std::int64_t>(a_.idle_ns(of));
      const bool same_way = (change > 0) == (diff_.idle.delta_ns() > 0);
      if (!same_way || std::abs(change) <= largest) continue;
      largest = std::abs(change);
      most = cause;
    }
    return largest ? fmt::format(", mostly for {}", words_of(static_cast<IdleCause>(most))) : "";
  }

  std::string kernel(const DiffKernel& top, std::int64_t delta) const {
    const DiffRow* row = nullptr;  // that has most of it
    for (const DiffRow& candidate : diff_.rows)
      if (candidate.name == top.name && goes_with(candidate.time, delta) &&
          (!row || std::abs(candidate.time.delta_ns()) > std::abs(row->time.delta_ns())))
        row = &candidate;
    const std::int64_t part = top.time.delta_ns();
    const bool one_place = row && std::abs(row->time.delta_ns()) * 5 >= std::abs(part) * 4;
    std::string place;
    if (!one_place) place = fmt::format(" in {} places", top.rows);
    if (one_place && !row->scope.empty()) place = " in " + row->scope;
    if (one_place && row->change == Change::added)
      return fmt::format("'{}'{} is new ({})", top.name, place, size(part));
    if (one_place && row->change == Change::removed)
      return fmt::format("'{}'{} is gone ({})", top.name, place, size(part));
    const char* mostly = std::abs(part) * 2 >= std::abs(delta) ? "mostly" : "most of all";
    return fmt::format("{} '{}'{}, {} {}{}{}", mostly, top.name, place, size(part), how(delta),
                       share(top.time), row ? reason(*row) : "");
  }

  static std::string reason(const DiffRow& row) {
    if (row.new_source) return "; its source or options changed";
    if (row.new_program) return "; the program that it is part of changed";
    if (row.new_shape) return "; its launch size changed";
    if (row.count_a != row.count_b)
      return fmt::format("; it runs {}, {} before",
                         row.count_b == 1 ? "once" : fmt::format("{} times", row.count_b),
                         row.count_a == 1 ? "once" : std::to_string(row.count_a));
    if (row.new_arguments) return "; its arguments changed";
    return "";
  }

  const TraceDiff& diff_;
  const Side &a_, &b_;
};

}  // namespace

std::string cause_of(const TraceDiff& diff, const Side& a, const Side& b) {
  return Sentence(diff, a, b).text();
}

}  // namespace reel::analysis
