#include "document/mcap_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "document/byte_cursor.hpp"

namespace reel::mcap {
namespace {

// Where in the file a part of the record's body is.
std::uint64_t offset_in_file(const Record& record, std::span<const std::byte> part) {
  return record.offset + record_prefix_bytes +
         static_cast<std::uint64_t>(part.data() - record.body.data());
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
  if (!cursor.ok())
    damage_ = {offset_, fmt::format("The last {} bytes are less than a record begins with.",
                                    file_.size() - offset_)};
  else if (opcode == 0)
    damage_ = {offset_, "A record has type 0, which no record has."};
  else if (length > cursor.rest().size())
    damage_ = {offset_, fmt::format("A record of type {} has {} bytes, but only {} follow.", opcode,
                                    length, cursor.rest().size())};
  if (damage_) return std::nullopt;

  const Record record{.opcode = static_cast<Opcode>(opcode),
                      .offset = offset_,
                      .length = record_prefix_bytes + length,
                      .body = cursor.bytes(length)};
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
  const auto data = cursor.bytes(cursor.u64());
  if (!cursor.ok()) return std::nullopt;
  chunk.data_offset = offset_in_file(record, data);
  chunk.data_bytes = data.size();
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
  const auto data = cursor.bytes(cursor.u64());
  cursor.u32();  // the checksum, looked at on request
  if (!cursor.ok()) return std::nullopt;
  attachment.data_offset = offset_in_file(record, data);
  attachment.data_bytes = data.size();
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
