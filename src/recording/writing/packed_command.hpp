// packed_command.hpp - one command as it travels from the thread that gave it to the writer.
//
// Flat bytes: this header, then arguments, then the bytes of values, then the label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "document/columns/rows.hpp"

namespace reel::capture {

enum class EntryType : std::uint32_t {
  command = 1,
  stamps,
  again,
  bare_again,
  known,
  other_values
};

// So many works of a log may be named by a place.
inline constexpr std::uint32_t known_places = 256;

struct EntryHeader {
  std::uint32_t size_bytes;  // of the whole entry, a multiple of 8
  EntryType type;
};

struct PackedCommand {
  EntryHeader header;
  document::CommandRow row;  // its work: the place that it is known by from now on, or none
  const void* scope;         // Scope's own pointer: lives as long as the process
  TraceWork work;            // without texts
  std::uint32_t value_bytes, label_bytes;

  // What says what the command does, as bytes that can be compared.
  std::span<const std::byte> what() const noexcept {
    const auto* begin = reinterpret_cast<const std::byte*>(&scope);
    return {begin, reinterpret_cast<const std::byte*>(this) + header.size_bytes};
  }
  TraceArgument* arguments() noexcept { return reinterpret_cast<TraceArgument*>(this + 1); }
  const TraceArgument* arguments() const noexcept {
    return reinterpret_cast<const TraceArgument*>(this + 1);
  }
  std::byte* values() noexcept {
    return reinterpret_cast<std::byte*>(arguments() + work.argument_count);
  }
  const std::byte* values() const noexcept {
    return reinterpret_cast<const std::byte*>(arguments() + work.argument_count);
  }
  char* label() noexcept { return reinterpret_cast<char*>(values() + value_bytes); }
  std::string_view label() const noexcept {
    return {reinterpret_cast<const char*>(values() + value_bytes), label_bytes};
  }
};
static_assert(sizeof(PackedCommand) % 8 == 0 && std::is_trivially_copyable_v<PackedCommand> &&
              std::has_unique_object_representations_v<PackedCommand> &&
              std::has_unique_object_representations_v<TraceArgument>);

// It names nothing, as most barriers.
inline bool is_bare(const PackedCommand& command) noexcept {
  return command.work.kind == WorkKind::barrier && command.work.argument_count == 0 &&
         command.work.kernel == no_index && command.value_bytes == 0;
}

// A command that does what the one before it in the log does (again), what the last one does that
// is bare, or what is known by the place in `row.work`.
struct PackedAgain {
  EntryHeader header;
  document::CommandRow row;
};
static_assert(sizeof(PackedAgain) % 8 == 0 &&
              offsetof(PackedAgain, row) == offsetof(PackedCommand, row));

// A command that does what the one before it in the log does, with other values.
struct PackedValues {
  EntryHeader header;
  document::CommandRow row;
  std::uint64_t value_bytes;  // which follow: as many as that one has

  const std::byte* values() const noexcept { return reinterpret_cast<const std::byte*>(this + 1); }
};
static_assert(sizeof(PackedValues) % 8 == 0);

struct PackedStamps {
  EntryHeader header;
  std::uint64_t count;  // rows of StampRow follow
};

}  // namespace reel::capture
