// mcap_summary.hpp - the end of an MCAP file: what is where in it.
//
// Told of every record as it is written; append_end() then puts the end of the data, the index for
// programs that seek, the footer and the magic. Owns copies of what it was told.
#pragma once

#include <optional>

#include "document/mcap/data_checks.hpp"
#include "document/mcap/record_buffer.hpp"

namespace reel::mcap {

// One message of a chunk: when, and where in the uncompressed chunk.
struct MessageEntry {
  std::uint64_t log_time, offset;
};
// The messages of one channel in one chunk.
struct ChannelEntries {
  std::uint16_t channel;
  std::vector<MessageEntry> messages;
};

// A chunk as it was written: `offset` and `length` are of the whole record.
struct WrittenChunk {
  std::uint64_t offset = 0, length = 0;
  std::uint64_t start_time = 0, end_time = 0;
  std::uint64_t compressed_bytes = 0, uncompressed_bytes = 0;
  std::uint32_t crc = 0;  // of the uncompressed bytes
  std::string compression;
};

// What a chunk's record has before its compressed bytes; their length comes last.
void append_chunk_fields(RecordBuffer& out, const WrittenChunk& chunk);
void append_header(RecordBuffer& out, const Header& header);
void append_schema(RecordBuffer& out, const Schema& schema);
void append_channel(RecordBuffer& out, const Channel& channel);

class Summary {
 public:
  void add(Schema schema) { schemas_.push_back(std::move(schema)); }
  void add(Channel channel);
  // Appends to `out` the MessageIndex records that follow the chunk; they come to stand at
  // `index_offset` of the file.
  void add_chunk(const WrittenChunk& chunk, std::span<const ChannelEntries> entries,
                 std::uint64_t index_offset, RecordBuffer& out);
  // Borrows nothing of the attachment; its data counts by size only.
  void add(const Attachment& attachment, std::uint64_t offset, std::uint64_t length);
  void add(const Metadata& metadata, std::uint64_t offset, std::uint64_t length);

  // `offset`: where in the file this is put; `checks`: of all that is before it.
  void append_end(RecordBuffer& out, std::uint64_t offset, DataChecks checks) const;

 private:
  void append_statistics(RecordBuffer& out) const;

  std::vector<Schema> schemas_;
  std::vector<Channel> channels_;
  // Records as they will stand in the summary.
  RecordBuffer chunk_index_, attachment_index_, metadata_index_;
  std::uint32_t chunks_ = 0, attachments_ = 0, metadata_ = 0;
  std::map<std::uint16_t, std::uint64_t> message_counts_;         // by channel
  std::optional<std::pair<std::uint64_t, std::uint64_t>> times_;  // of the first and last message
};

}  // namespace reel::mcap
