// observed_access.hpp - what kernels left as it was, each time one could see it, though they might
// have written it.
//
// OpenCL tells of a pointer whether it is const, no more, so a program without `const` seems to
// write all it uses. Contents tell better: known before, the same after. That alone is no proof, a
// kernel that runs twice on the same input changes nothing either: it must have changed another of
// its arguments, and its source, where there is one, must only read through this one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/range_map.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

class ObservedAccess {
 public:
  // Documents in which the program itself said how each range is used stay as they are.
  explicit ObservedAccess(const Trace& trace);

  // As recorded, or Access::read of what was left alone.
  Access of(const TraceWork& work, const TraceArgument& argument, Access recorded) const;

  const std::vector<LeftAlone>& left_alone() const noexcept { return left_alone_; }

 private:
  struct Use {
    std::uint32_t kernel, argument;
    friend auto operator<=>(const Use&, const Use&) = default;  // NOLINT(modernize-use-nullptr)
  };
  struct Known {
    BlobId hash;
    std::vector<Use> users;  // that might have written it since; sorted
  };
  struct Seen {
    std::uint64_t same = 0;
    bool perhaps_changed = false;
    bool changed = false;  // and nobody else can have
  };

  void go_through();
  void note_uses(const TraceWork& work);
  void compare(const TraceContents& contents, const BlobId& hash);
  void know(const TraceContents& contents, const BlobId& hash);
  void decide();

  const Trace& trace_;
  std::vector<RangeMap<Known>> known_;  // by buffer
  std::map<Use, Seen> seen_;
  std::vector<LeftAlone> left_alone_;  // by kernel, then parameter
};

}  // namespace reel::analysis
