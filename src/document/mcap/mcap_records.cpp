#include "document/mcap/mcap_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "document/mcap/byte_cursor.hpp"

namespace reel::mcap {
namespace {

// How much of the record is behind what the cursor has read of its body.
std::uint64_t bytes_behind(const Record& record, const ByteCursor& cursor) {
  return record.body_bytes() - (record.body.size() - cursor.rest().size());
}

// What is wrong with a record that begins like this, if anything.
std::optional<Damage> damage_of(std::uint64_t offset, std::uint64_t left_bytes, bool has_prefix,
                                std::uint8_t opcode, std::uint64_t length) {
  if (!has_prefix)
    return Damage{offset,
                  fmt::format("The last {} bytes are less than a record begins with.", left_bytes)};
  if (opcode == 0) return Damage{offset, "A record has type 0, which no record has."};
  if (length > left_bytes - record_prefix_bytes)
    return Damage{offset, fmt::format("A record of type {} has {} bytes, but only {} follow.",
                                      opcode, length, left_bytes - record_prefix_bytes)};
  return std::nullopt;
}

// A chunk's fields before its data, or an attachment's with names of the usual length.
constexpr std::uint64_t beginning_bytes = 4096;
// Read at once: many small records are one call of the system.
constexpr std::uint64_t window_bytes = 4 * beginning_bytes;
// A file with holes takes no room on the disk, and may be larger than any memory.
constexpr std::uint64_t most_body_bytes = 64u << 20;

// Is the beginning of a chunk or an attachment enough to decode it?
bool is_enough(const Record& record) {
  return record.opcode == Opcode::chunk ? decode_chunk(record).has_value()
                                        : decode_attachment(record).has_value();
}

}  // namespace

bool begins_with_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), magic);
}

std::optional<Record> RecordScanner::next() {
  if (offset_ == file_.size() || damage_) return std::nullopt;
  ByteCursor cursor(file_.subspan(offset_));
  const std::uint8_t opcode = cursor.u8();
  const std::uint64_t length = cursor.u64();
  damage_ = damage_of(offset_, file_.size() - offset_, cursor.ok(), opcode, length);
  if (damage_) return std::nullopt;

  const Record record{.opcode = static_cast<Opcode>(opcode),
                      .offset = offset_,
                      .length = record_prefix_bytes + length,
                      .body = cursor.bytes(length)};
  offset_ += record.length;
  return record;
}

std::span<const std::byte> FileScanner::look(std::uint64_t offset, std::uint64_t count) {
  const bool is_within = offset >= window_offset_ && offset - window_offset_ <= window_.size() &&
                         count <= window_.size() - (offset - window_offset_);
  if (!is_within) {
    window_ = file_.read(offset, std::max(count, window_bytes), room_);
    window_offset_ = offset;
  }
  const auto from = window_.subspan(offset - window_offset_);
  return from.first(std::min<std::uint64_t>(count, from.size()));
}

std::optional<Record> FileScanner::next() {
  if (offset_ == file_.size() || damage_) return std::nullopt;
  ByteCursor cursor(look(offset_, record_prefix_bytes));
  const std::uint8_t opcode = cursor.u8();
  const std::uint64_t length = cursor.u64();
  damage_ = damage_of(offset_, file_.size() - offset_, cursor.ok(), opcode, length);
  if (damage_) return std::nullopt;

  Record record{.opcode = static_cast<Opcode>(opcode),
                .offset = offset_,
                .length = record_prefix_bytes + length,
                .body = {}};
  const bool is_long = record.opcode == Opcode::chunk || record.opcode == Opcode::attachment;
  const bool is_known = record.opcode <= Opcode::data_end || record.opcode == Opcode::outline;
  const std::uint64_t most = is_known ? std::min(length, most_body_bytes) : 0;
  if (is_known && !is_long && length > most) {
    damage_ = {offset_, fmt::format("A record of type {} has {} bytes; {} are allowed.", opcode,
                                    length, most)};
    return std::nullopt;
  }
  std::uint64_t wanted = is_long ? std::min(most, beginning_bytes) : most;
  for (;;) {
    const auto bytes = look(offset_, record_prefix_bytes + wanted);
    if (bytes.size() < record_prefix_bytes + wanted) {
      damage_ = {offset_, "The file was cut shorter while it was being read."};
      return std::nullopt;
    }
    record.body = bytes.subspan(record_prefix_bytes);
    if (wanted == most || is_enough(record)) break;
    wanted = std::min(most, 4 * wanted);  // a very long name
  }
  offset_ += record.length;
  return record;
}

std::optional<Header> decode_header(const Record& record) {
  ByteCursor cursor(record.body);
  Header header;
  header.profile = cursor.text();
  header.library = cursor.text();
  return cursor.ok() ? std::optional(std::move(header)) : std::nullopt;
}

std::optional<Schema> decode_schema(const Record& record) {
  ByteCursor cursor(record.body);
  Schema schema;
  schema.id = cursor.u16();
  schema.name = cursor.text();
  schema.encoding = cursor.text();
  const auto data = cursor.blob();
  schema.data.assign(data.begin(), data.end());
  return cursor.ok() ? std::optional(std::move(schema)) : std::nullopt;
}

std::optional<Channel> decode_channel(const Record& record) {
  ByteCursor cursor(record.body);
  Channel channel;
  channel.id = cursor.u16();
  channel.schema_id = cursor.u16();
  channel.topic = cursor.text();
  channel.message_encoding = cursor.text();
  channel.metadata = cursor.map();
  return cursor.ok() ? std::optional(std::move(channel)) : std::nullopt;
}

std::optional<Metadata> decode_metadata(const Record& record) {
  ByteCursor cursor(record.body);
  Metadata metadata;
  metadata.name = cursor.text();
  metadata.values = cursor.map();
  return cursor.ok() ? std::optional(std::move(metadata)) : std::nullopt;
}

std::optional<ChunkRef> decode_chunk(const Record& record) {
  ByteCursor cursor(record.body);
  ChunkRef chunk;
  chunk.offset = record.offset;
  chunk.length = record.length;
  chunk.message_start_time = cursor.u64();
  chunk.message_end_time = cursor.u64();
  chunk.uncompressed_bytes = cursor.u64();
  chunk.crc = cursor.u32();
  chunk.compression = cursor.text();
  chunk.data_bytes = cursor.u64();
  const std::uint64_t behind = bytes_behind(record, cursor);
  if (!cursor.ok() || chunk.data_bytes > behind) return std::nullopt;
  chunk.data_offset = record.offset + record.length - behind;
  return chunk;
}

std::optional<AttachmentRef> decode_attachment(const Record& record) {
  ByteCursor cursor(record.body);
  AttachmentRef attachment;
  attachment.offset = record.offset;
  attachment.length = record.length;
  attachment.log_time = cursor.u64();
  attachment.create_time = cursor.u64();
  attachment.name = cursor.text();
  attachment.media_type = cursor.text();
  attachment.data_bytes = cursor.u64();
  const std::uint64_t behind = bytes_behind(record, cursor);
  // Behind the data is its checksum, looked at on request.
  if (!cursor.ok() || behind < sizeof(std::uint32_t) ||
      attachment.data_bytes > behind - sizeof(std::uint32_t))
    return std::nullopt;
  attachment.data_offset = record.offset + record.length - behind;
  return attachment;
}

std::optional<MessageView> decode_message(const Record& record) {
  ByteCursor cursor(record.body);
  MessageView message;
  message.channel = cursor.u16();
  message.sequence = cursor.u32();
  message.log_time = cursor.u64();
  message.publish_time = cursor.u64();
  message.data = cursor.rest();
  return cursor.ok() ? std::optional(message) : std::nullopt;
}

}  // namespace reel::mcap
