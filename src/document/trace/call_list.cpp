#include "document/trace/call_list.hpp"

#include <algorithm>
#include <utility>

namespace reel::document {
namespace {

// Several threads give commands that are nearly in order. Runs are sorted and then merged where
// they overlap, and nothing else moves.
template <class Key>
void sort_nearly_sorted(std::vector<std::uint32_t>& list, Key key) {
  constexpr std::size_t run = 4096;
  const auto at = [&](std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(std::min(i, list.size()));
  };
  for (std::size_t i = 0; i < list.size(); i += run)
    if (!std::ranges::is_sorted(at(i), at(i + run), {}, key))
      std::ranges::stable_sort(at(i), at(i + run), {}, key);
  for (std::size_t width = run; width < list.size(); width *= 2)
    for (std::size_t i = 0; i + width < list.size(); i += 2 * width) {
      const auto begin = at(i), middle = at(i + width), end = at(i + 2 * width);
      if (key(*(middle - 1)) <= key(*middle)) continue;
      const auto first = std::ranges::upper_bound(begin, middle, key(*middle), {}, key);
      const auto last = std::ranges::lower_bound(middle, end, key(*(middle - 1)), {}, key);
      std::ranges::inplace_merge(first, middle, last, {}, key);
    }
}

// A call may submit several batches.
void add_submits(const TraceCommands& commands, const std::vector<TraceSubmission>& submissions,
                 std::vector<TraceCall>& calls) {
  const std::size_t others = calls.size();
  for (const TraceSubmission& submission : submissions) {
    if (submission.first >= commands.size()) continue;
    const TraceCommand& first = commands[submission.first];
    const TraceCall call{submission.call, first.thread, first.call_begin_ns, first.call_end_ns,
                         submission.first};
    const bool is_same = calls.size() > others && calls.back().begin_ns == call.begin_ns &&
                         calls.back().end_ns == call.end_ns && calls.back().thread == call.thread;
    if (!is_same) calls.push_back(call);
  }
  std::ranges::stable_sort(calls, {}, &TraceCall::begin_ns);
}

std::vector<bool> submitted(const TraceCommands& commands,
                            const std::vector<TraceSubmission>& submissions) {
  std::vector<bool> list(submissions.empty() ? 0 : commands.size(), false);
  for (const TraceSubmission& submission : submissions)
    for (std::uint32_t i = 0; i < submission.count && submission.first + i < list.size(); ++i)
      list[submission.first + i] = true;
  return list;
}

// Commands by the begin of their calls. Empty where that is all of them as they are.
std::vector<std::uint32_t> given_order(const TraceCommands& commands,
                                       const std::vector<bool>& is_submitted) {
  bool all_are_calls = is_submitted.empty(), is_sorted = true;
  std::uint64_t before_ns = 0;
  for (const TraceCommand& command : commands) {
    all_are_calls &= command.launch == no_index;
    is_sorted &= command.call_begin_ns >= before_ns;
    before_ns = command.call_begin_ns;
  }
  std::vector<std::uint32_t> given;
  if (all_are_calls && is_sorted) return given;
  given.reserve(commands.size());
  for (std::uint32_t c = 0; c < commands.size(); ++c)
    // Else the launch was the call, or the submission.
    if (commands[c].launch == no_index && (is_submitted.empty() || !is_submitted[c]))
      given.push_back(c);
  if (!is_sorted)
    sort_nearly_sorted(given, [&](std::uint32_t c) { return commands[c].call_begin_ns; });
  return given;
}

}  // namespace

TraceCalls list_calls(const TraceCommands& commands, const std::vector<TraceWork>& works,
                      const std::vector<TraceSubmission>& submissions,
                      std::uint32_t first_kind_name, std::vector<TraceCall> others) {
  TraceCalls::Parts parts;
  parts.commands = commands;
  const std::vector<bool> is_submitted = submitted(commands, submissions);
  parts.given = given_order(commands, is_submitted);
  if (!submissions.empty()) add_submits(commands, submissions, others);
  parts.names.reserve(works.size());
  for (const TraceWork& work : works)
    parts.names.push_back(first_kind_name + static_cast<std::uint32_t>(work.kind));
  // The first command always has a call: who launched it would stand before it.
  const bool are_all_given = parts.given.empty() && is_submitted.empty();
  const std::size_t given = are_all_given ? commands.size() : parts.given.size();
  parts.size = given + others.size();
  parts.words.resize((parts.size + 63) / 64);
  std::size_t other = 0, of_command = 0;
  for (std::size_t i = 0; i < parts.size; ++i) {
    TraceCalls::Word& word = parts.words[i / 64];
    if (i % 64 == 0) word.commands_before = static_cast<std::uint32_t>(of_command);
    const bool is_command =
        other == others.size() ||
        (of_command < given &&
         commands[are_all_given ? of_command : parts.given[of_command]].call_begin_ns <
             others[other].begin_ns);
    if (is_command)
      ++of_command, word.of_commands |= std::uint64_t{1} << (i % 64);
    else
      ++other;
  }
  parts.others = std::move(others);
  return TraceCalls(std::move(parts));
}

}  // namespace reel::document
