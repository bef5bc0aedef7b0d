// packed_command.hpp - one command as it travels from the thread that gave it to the writer.
//
// Flat bytes: this header, then arguments, then the bytes of values, then the label. Everything
// from `work` on says what the command does and is compared as a whole, so padding is zeroed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "document/columns/rows.hpp"

namespace reel::capture {

enum class EntryType : std::uint32_t { command = 1, stamps = 2 };

struct EntryHeader {
  std::uint32_t size_bytes;  // of the whole entry, a multiple of 8
  EntryType type;
};

struct PackedWork {
  std::uint32_t kind, kernel;
  std::uint32_t groups[3], group_size[3], offset[3], items[3];
  std::uint64_t pattern;
  const void* scope;  // Scope's own pointer: lives as long as the process
  std::uint32_t argument_count, value_bytes, label_bytes, dimensions;
};

struct PackedCommand {
  EntryHeader header;
  std::uint32_t id, stream, launch, node, thread, zero;
  std::uint64_t begin_ns, end_ns;
  PackedWork work;
};
static_assert(sizeof(PackedCommand) % 8 == 0 && std::is_trivially_copyable_v<PackedCommand>);

// Padding of the row itself is made explicit here.
struct PackedArgument {
  std::uint32_t kind_and_access;  // kind in the low byte, access in the next
  std::uint32_t buffer;
  std::uint64_t offset_bytes, size_bytes;
  std::uint32_t view, zero;
};

struct PackedStamps {
  EntryHeader header;
  std::uint64_t count;  // rows of StampRow follow
};

}  // namespace reel::capture
