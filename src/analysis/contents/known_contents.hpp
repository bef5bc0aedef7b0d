// known_contents.hpp - what ranges of buffers are known to hold, by hash, as commands go by.
//
// Recorded contents make a range known, a command that writes any of it makes it unknown. A copy
// carries what is known along.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/range_map.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

class KnownContents {
 public:
  explicit KnownContents(const Trace& trace);

  // Commands come in order. Before it runs: the inputs recorded for it.
  void before(std::uint32_t command);
  // After it ran: what it wrote is gone; what was recorded then is known.
  void after(std::uint32_t command);

  // visit(contents) for the inputs recorded for the command that is next, or was.
  template <class F>
  void for_each_input(F&& visit) const {
    for (const TraceContents& contents : its_)
      if (contents.role == ContentRole::input) visit(contents);
  }

  // Exactly this range, if it is known as a whole: a hash of its bytes.
  std::optional<BlobId> of(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) const;
  // The bytes that a write, the command that is next or was, brings, if recorded.
  std::optional<BlobId> written() const;

 private:
  void go_to(std::uint32_t command);
  void know(const TraceContents& contents);

  const Trace& trace_;
  std::span<const TraceContents> its_;   // of the command
  std::span<const TraceContents> rest_;  // from those on
  std::vector<RangeMap<BlobId>> known_;  // by buffer
};

}  // namespace reel::analysis
