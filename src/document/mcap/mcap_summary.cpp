#include "document/mcap/mcap_summary.hpp"

#include <algorithm>

#include "base/bytes/crc32.hpp"

namespace reel::mcap {

void append_chunk_fields(RecordBuffer& out, const WrittenChunk& chunk) {
  out.u64(chunk.start_time);
  out.u64(chunk.end_time);
  out.u64(chunk.uncompressed_bytes);
  out.u32(chunk.crc);
  out.text(chunk.compression);
  out.u64(chunk.compressed_bytes);
}

void append_header(RecordBuffer& out, const Header& header) {
  out.record(Opcode::header, [&] {
    out.text(header.profile);
    out.text(header.library);
  });
}

void append_schema(RecordBuffer& out, const Schema& schema) {
  out.record(Opcode::schema, [&] {
    out.u16(schema.id);
    out.text(schema.name);
    out.text(schema.encoding);
    out.blob(schema.data);
  });
}

void append_channel(RecordBuffer& out, const Channel& channel) {
  out.record(Opcode::channel, [&] {
    out.u16(channel.id);
    out.u16(channel.schema_id);
    out.text(channel.topic);
    out.text(channel.message_encoding);
    out.map(channel.metadata);
  });
}

void Summary::add(Channel channel) {
  message_counts_.try_emplace(channel.id, 0);
  channels_.push_back(std::move(channel));
}

void Summary::add_chunk(const WrittenChunk& chunk, std::span<const ChannelEntries> entries,
                        std::uint64_t index_offset, RecordBuffer& out) {
  const std::size_t begin = out.size();
  std::vector<std::pair<std::uint16_t, std::uint64_t>> places;
  for (const auto& [channel, messages] : entries) {
    if (messages.empty()) continue;
    places.emplace_back(channel, index_offset + (out.size() - begin));
    message_counts_[channel] += messages.size();
    out.record(Opcode::message_index, [&, channel = channel, &messages = messages] {
      out.u16(channel);
      out.array([&] {
        for (const auto& [log_time, offset] : messages) out.u64(log_time), out.u64(offset);
      });
    });
  }
  if (!places.empty())
    times_ = times_ ? std::pair(std::min(times_->first, chunk.start_time),
                                std::max(times_->second, chunk.end_time))
                    : std::pair(chunk.start_time, chunk.end_time);
  ++chunks_;
  chunk_index_.record(Opcode::chunk_index, [&] {
    chunk_index_.u64(chunk.start_time);
    chunk_index_.u64(chunk.end_time);
    chunk_index_.u64(chunk.offset);
    chunk_index_.u64(chunk.length);
    chunk_index_.array([&] {
      for (const auto& [channel, place] : places)
        chunk_index_.u16(channel), chunk_index_.u64(place);
    });
    chunk_index_.u64(out.size() - begin);
    chunk_index_.text(chunk.compression);
    chunk_index_.u64(chunk.compressed_bytes);
    chunk_index_.u64(chunk.uncompressed_bytes);
  });
}

void Summary::add(const Attachment& attachment, std::uint64_t offset, std::uint64_t length) {
  ++attachments_;
  attachment_index_.record(Opcode::attachment_index, [&] {
    attachment_index_.u64(offset);
    attachment_index_.u64(length);
    attachment_index_.u64(attachment.log_time);
    attachment_index_.u64(attachment.create_time);
    attachment_index_.u64(attachment.data.size());
    attachment_index_.text(attachment.name);
    attachment_index_.text(attachment.media_type);
  });
}

void Summary::add(const Metadata& metadata, std::uint64_t offset, std::uint64_t length) {
  ++metadata_;
  metadata_index_.record(Opcode::metadata_index, [&] {
    metadata_index_.u64(offset);
    metadata_index_.u64(length);
    metadata_index_.text(metadata.name);
  });
}

void Summary::append_statistics(RecordBuffer& out) const {
  std::uint64_t messages = 0;
  for (const auto& [channel, count] : message_counts_) messages += count;
  out.record(Opcode::statistics, [&] {
    out.u64(messages);
    out.u16(static_cast<std::uint16_t>(schemas_.size()));
    out.u32(static_cast<std::uint32_t>(channels_.size()));
    out.u32(attachments_);
    out.u32(metadata_);
    out.u32(chunks_);
    out.u64(times_ ? times_->first : 0);
    out.u64(times_ ? times_->second : 0);
    out.array([&] {
      for (const auto& [channel, count] : message_counts_) out.u16(channel), out.u64(count);
    });
  });
}

void Summary::append_end(RecordBuffer& out, std::uint64_t offset, DataChecks checks) const {
  const std::uint64_t out_offset = offset - out.size();
  const std::size_t outline = out.size();
  out.record(Opcode::outline, [&] { out.u32(checks.outline()); });
  checks.add(out.view().subspan(outline));
  out.record(Opcode::data_end, [&] { out.u32(checks.all()); });

  struct Group {
    Opcode opcode;
    std::uint64_t begin, end;
  };
  std::vector<Group> groups;
  const auto group = [&](Opcode opcode, auto&& put) {
    const std::uint64_t begin = out_offset + out.size();
    put();
    groups.push_back({opcode, begin, out_offset + out.size()});
  };
  const std::size_t summary = out.size();
  group(Opcode::schema, [&] {
    for (const auto& schema : schemas_) append_schema(out, schema);
  });
  group(Opcode::channel, [&] {
    for (const auto& channel : channels_) append_channel(out, channel);
  });
  group(Opcode::statistics, [&] { append_statistics(out); });
  group(Opcode::chunk_index, [&] { out.bytes(chunk_index_.view()); });
  group(Opcode::attachment_index, [&] { out.bytes(attachment_index_.view()); });
  group(Opcode::metadata_index, [&] { out.bytes(metadata_index_.view()); });

  const std::uint64_t offsets = out_offset + out.size();
  for (const auto& [opcode, begin, end] : groups) {
    if (begin == end) continue;
    out.record(Opcode::summary_offset, [&, opcode = opcode, begin = begin, end = end] {
      out.u8(static_cast<std::uint8_t>(opcode));
      out.u64(begin);
      out.u64(end - begin);
    });
  }
  out.record(Opcode::footer, [&] {
    out.u64(out_offset + summary);
    out.u64(offsets);
    // The checksum covers the footer too, up to itself. record() writes the length when this body
    // is done, so it is put here by hand first.
    out.patch(out.size() - 16 - sizeof(std::uint64_t), footer_bytes);
    out.u32(crc32(out.view().subspan(summary)));
  });
  out.bytes(magic);
}

}  // namespace reel::mcap
