// host_calls.hpp - what the host did, thread by thread.
//
// Calls are told apart by their names, of our API, of OpenCL's and of Vulkan's. Holds indices into
// the trace, which must outlive it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

enum class CallKind : std::uint8_t { other, wait, build, allocate, transfer };

class HostCalls {
 public:
  explicit HostCalls(const Trace& trace);

  CallKind kind_of(const TraceCall& call) const;

  // The wait of this thread that was under way at `time_ns`, give or take `error_ns`.
  std::optional<std::uint32_t> wait_at(std::uint32_t thread, std::uint64_t time_ns,
                                       std::uint64_t error_ns) const;
  // The last wait of this thread that was over by then.
  std::optional<std::uint32_t> wait_before(std::uint32_t thread, std::uint64_t time_ns) const;
  // When the first build that was recorded ended.
  std::optional<std::uint64_t> first_build_ns() const;
  // Waits of this thread, by their end.
  const std::vector<std::uint32_t>& waits(std::uint32_t thread) const;

  // visit(call) for each wait of any thread.
  template <class F>
  void for_each_wait(F&& visit) const {
    for (const auto& [id, thread] : threads_)
      for (const std::uint32_t i : thread.waits) visit(trace_.calls()[i]);
  }

  // visit(call, index) for the calls of this thread that overlap the span, by begin; those that
  // only give a command are left out.
  template <class F>
  void for_each_within(std::uint32_t thread, std::uint64_t begin_ns, std::uint64_t end_ns,
                       F&& visit) const {
    const Thread* found = find(thread);
    if (!found) return;
    // The first that could reach into the span: all before it end too early.
    auto at = static_cast<std::size_t>(std::ranges::upper_bound(found->latest_end, begin_ns) -
                                       found->latest_end.begin());
    for (; at < found->calls.size(); ++at) {
      const TraceCall call = trace_.calls()[found->calls[at]];
      if (call.begin_ns >= end_ns) break;
      if (call.end_ns > begin_ns) visit(call, found->calls[at]);
    }
  }

 private:
  struct Thread {
    std::vector<std::uint32_t> calls;       // by begin
    std::vector<std::uint64_t> latest_end;  // of the calls up to this one
    std::vector<std::uint32_t> waits;       // by end
  };
  const Thread* find(std::uint32_t thread) const;
  bool is_blocked(const TraceCall& call) const;

  const Trace& trace_;
  std::vector<std::uint32_t> blocking_;  // calls that submit, by their first command
  std::vector<CallKind> kind_of_text_;
  std::map<std::uint32_t, Thread> threads_;
};

}  // namespace reel::analysis
