// log_entries.hpp - room in a log for a command or for stamps, to be filled and committed.
#pragma once

#include <cstring>

#include "base/clock.hpp"
#include "recording/command_log.hpp"
#include "reel/trace.hpp"

namespace reel::capture {

// One command as it was given.
struct Given {
  std::uint32_t id;
  std::uint32_t launch = no_index, node = no_index;
  std::uint64_t begin_ns, end_ns;
};

// Its work is empty but for these sizes; `arguments` stand behind it, then values, then the label.
inline PackedCommand* reserve_command(CommandLog& log, std::uint32_t stream, const Given& given,
                                      std::uint32_t arguments = 0, std::uint32_t values = 0,
                                      std::size_t label = 0) {
  const auto bytes = static_cast<std::uint32_t>(sizeof(PackedCommand) +
                                                arguments * sizeof(TraceArgument) + values + label);
  const std::uint32_t size = (bytes + 7) / 8 * 8;
  std::byte* place = log.reserve(size);
  std::memset(place + size - 8, 0, 8);  // what rounds it up is compared too
  auto* entry = reinterpret_cast<PackedCommand*>(place);
  *entry = {{size, EntryType::command},
            given.id,
            stream,
            given.launch,
            given.node,
            thread_number(),
            0,
            given.begin_ns,
            given.end_ns,
            nullptr,
            {},
            values,
            static_cast<std::uint32_t>(label)};
  entry->work.argument_count = arguments;
  return entry;
}

inline document::StampRow* reserve_stamps(CommandLog& log, std::size_t count) {
  const auto size =
      static_cast<std::uint32_t>(sizeof(PackedStamps) + count * sizeof(document::StampRow));
  auto* entry = reinterpret_cast<PackedStamps*>(log.reserve(size));
  *entry = {{size, EntryType::stamps}, count};
  return reinterpret_cast<document::StampRow*>(entry + 1);
}

}  // namespace reel::capture
