// kept_dispatches.hpp - the dispatches that a stream gives again and again, as they are given: one
// that is the same needs not be packed to see that its work is known.
//
// Only for dispatches of whole groups from 0 on, as a ReadyDispatch takes them. With the stream's
// lock held.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/commands/resource.hpp"
#include "recording/streams/kept_works.hpp"
#include "reel/command.hpp"

namespace reel::capture {

class KeptDispatches {
 public:
  // The place of its work, while that is there; no_index: it isn't known.
  std::uint32_t find(const Command& command, const Dispatch& dispatch,
                     const KeptWorks& works) const noexcept {
    const Kept& kept = kept_[index_of(dispatch)];
    if (kept.place == no_index || kept.version != works.version(kept.place) ||
        kept.scope != command.scope.key() || kept.kernel != dispatch.kernel->id ||
        kept.groups != dispatch.groups || kept.group_size != dispatch.group_size ||
        kept.label != command.label || kept.arguments.size() != dispatch.arguments.size())
      return no_index;
    const Given* given = kept.arguments.data();
    for (const Argument& argument : dispatch.arguments) {
      if (!(given->argument == argument) ||
          (argument.is_memory() && given->buffer != argument.range.buffer->id))
        return no_index;
      ++given;
    }
    return kept.place;
  }

  void keep(const Command& command, const Dispatch& dispatch, std::uint32_t place,
            const KeptWorks& works) {
    Kept& kept = kept_[index_of(dispatch)];
    kept.place = no_index;  // until all of it is there
    kept.arguments.clear();
    for (const Argument& argument : dispatch.arguments) {
      if (argument.is_outside()) return;  // its bytes are the caller's
      kept.arguments.push_back(
          {argument, argument.is_memory() ? argument.range.buffer->id : BufferId{}});
    }
    kept.scope = command.scope.key();
    kept.kernel = dispatch.kernel->id;
    kept.groups = dispatch.groups;
    kept.group_size = dispatch.group_size;
    kept.label = command.label;
    kept.version = works.version(place);
    kept.place = place;
  }

 private:
  struct Given {
    Argument argument;
    BufferId buffer;  // another may lie where one was that is gone
  };
  struct Kept {
    std::uint32_t place = no_index, version = 0;
    const void* scope = nullptr;
    KernelId kernel{};
    Dim3 groups, group_size;
    std::string label;
    std::vector<Given> arguments;
  };
  static constexpr std::size_t most = 64;

  static std::size_t index_of(const Dispatch& dispatch) noexcept {
    std::uint64_t sum = static_cast<std::uint64_t>(dispatch.kernel->id) + dispatch.groups.x;
    for (const Argument& argument : dispatch.arguments)
      if (argument.is_memory())
        sum = sum * 31 + static_cast<std::uint64_t>(argument.range.buffer->id) +
              (argument.range.offset_bytes >> 4);
    return sum % most;
  }

  std::array<Kept, most> kept_;
};

}  // namespace reel::capture
