// mcap.hpp - the records of an MCAP file, as plain values.
//
// A file is a magic, records, a magic; a record is a type of one byte, a length of eight, and that
// many bytes. docs: https://mcap.dev/spec. Messages are kept in chunks, compressed; an index at the
// end lets other programs seek. All numbers are little-endian, all times nanoseconds.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace reel::mcap {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

// "\x89MCAP0\r\n"
inline constexpr std::array<std::byte, 8> magic{std::byte{0x89}, std::byte{'M'}, std::byte{'C'},
                                                std::byte{'A'},  std::byte{'P'}, std::byte{'0'},
                                                std::byte{'\r'}, std::byte{'\n'}};

// Others may appear and are passed over; 0 is no record.
enum class Opcode : std::uint8_t {
  header = 1,
  footer = 2,
  schema = 3,
  channel = 4,
  message = 5,
  chunk = 6,
  message_index = 7,
  chunk_index = 8,
  attachment = 9,
  attachment_index = 10,
  statistics = 11,
  metadata = 12,
  metadata_index = 13,
  summary_offset = 14,
  data_end = 15,
  // Ours: MCAP leaves types from 128 on to applications, and readers pass over them. The last
  // record of the data, with the checksum of all before it but the data of attachments.
  outline = 0xa7,
};

inline constexpr std::uint64_t record_prefix_bytes = 9;    // type and length
inline constexpr std::uint64_t message_prefix_bytes = 22;  // of a message, before its data
inline constexpr std::uint64_t footer_bytes = 20;
inline constexpr std::uint64_t checksum_bytes = 4;  // of DataEnd, and of the outline
// What a chunk may have, uncompressed: a reader holds it in memory at once.
inline constexpr std::uint64_t max_chunk_bytes = std::uint64_t{1} << 30;

using StringMap = std::map<std::string, std::string>;

struct Header {
  std::string profile;  // "reel"
  std::string library;  // who wrote it

  friend bool operator==(const Header&, const Header&) = default;
};

struct Schema {
  std::uint16_t id = 0;  // from 1
  std::string name;
  std::string encoding;
  std::vector<std::byte> data;

  friend bool operator==(const Schema&, const Schema&) = default;
};

struct Channel {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;  // 0: none
  std::string topic;
  std::string message_encoding;
  StringMap metadata;

  friend bool operator==(const Channel&, const Channel&) = default;
};

struct Metadata {
  std::string name;
  StringMap values;

  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// Borrows its data.
struct Attachment {
  std::uint64_t log_time = 0;
  std::uint64_t create_time = 0;  // 0: not known
  std::string name;
  std::string media_type;
  std::span<const std::byte> data;
};

// Borrows its data, which begins at any address: copy what needs alignment.
struct MessageView {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;  // counts from 0 on each channel
  std::uint64_t log_time = 0;
  std::uint64_t publish_time = 0;
  std::span<const std::byte> data;
};

}  // namespace reel::mcap
