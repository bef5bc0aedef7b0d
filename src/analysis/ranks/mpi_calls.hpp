// mpi_calls.hpp - calls of MPI of a document (`reel capture --mpi`), and what of its steps they
// were.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/time/intervals.hpp"
#include "reel/ranks.hpp"

namespace reel::analysis {

class MpiCalls {
 public:
  explicit MpiCalls(const Trace& trace);

  bool empty() const noexcept { return calls_.empty(); }
  // When any thread of the program was in MPI.
  const Intervals& spans() const noexcept { return spans_; }
  std::vector<RankMpi> kinds() && { return std::move(kinds_); }

  // What of `step`, whose device was busy so, its calls were. `next` is the step after it. Both get
  // the moment between them: the end of the last call before `next`, or its start where no call
  // was.
  void tell(RankStep& step, RankStep& next, const Intervals& busy) const;

 private:
  struct Call {
    std::uint64_t begin_ns, end_ns;
    std::uint32_t kind;  // index in kinds_
  };
  std::vector<Call> calls_;  // by begin
  std::vector<RankMpi> kinds_;
  Intervals spans_;
};

}  // namespace reel::analysis
