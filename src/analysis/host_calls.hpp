// host_calls.hpp - what the host did, thread by thread.
//
// Calls are told apart by their names, of our API and of OpenCL's. Holds indices into the trace,
// which must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

enum class CallKind : std::uint8_t { other, wait, build, allocate };

class HostCalls {
 public:
  explicit HostCalls(const Trace& trace);

  CallKind kind_of(const TraceCall& call) const;

  // The wait of this thread that was under way at `time_ns`, give or take `error_ns`.
  std::optional<std::uint32_t> wait_at(std::uint32_t thread, std::uint64_t time_ns,
                                       std::uint64_t error_ns) const;
  // The last wait of this thread that was over by then.
  std::optional<std::uint32_t> wait_before(std::uint32_t thread, std::uint64_t time_ns) const;
  // Waits of this thread, by their end.
  const std::vector<std::uint32_t>& waits(std::uint32_t thread) const;

  // Of the calls of this thread, the one that takes most of the span.
  struct Longest {
    std::uint32_t call = no_index;
    CallKind kind = CallKind::other;
    std::uint64_t overlap_ns = 0;
  };
  Longest longest_within(std::uint32_t thread, std::uint64_t begin_ns, std::uint64_t end_ns) const;

 private:
  struct Thread {
    std::vector<std::uint32_t> calls;       // by begin
    std::vector<std::uint64_t> latest_end;  // of the calls up to this one
    std::vector<std::uint32_t> waits;       // by end
  };
  const Thread* find(std::uint32_t thread) const;

  const Trace& trace_;
  std::vector<CallKind> kind_of_text_;
  std::map<std::uint32_t, Thread> threads_;
};

}  // namespace reel::analysis
