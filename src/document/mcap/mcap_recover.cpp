#include "document/mcap/mcap_recover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fail.hpp"
#include "document/mcap/byte_cursor.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_summary.hpp"

namespace reel::mcap {
namespace {

// How the part of a chunk's record looks that names its compression: a length, and the name.
constexpr std::string_view chunk_mark{"\4\0\0\0zstd", 8};
constexpr std::uint64_t bytes_before_mark = record_prefix_bytes + 3 * 8 + 4;

class Recovery {
 public:
  Recovery(std::span<const std::byte> file, OutputFile& out, const std::optional<Metadata>& mark)
      : file_(file), out_(out), mark_(mark) {}

  RecoverReport run(const Header& lost_header) && {
    find_records();
    begin(lost_header);
    // All definitions first, also those from the summary at the end of the file: a chunk is of use
    // only with the channels of its messages.
    for (const Record& record : records_) copy_definition(record);
    for (const Record& record : records_) copy_data(record);
    write_mark();
    summary_.append_end(buffer_, out_.size_bytes(), checks_);
    write_buffer();
    std::ranges::sort(report_.dropped, {}, &Damage::offset);
    return std::move(report_);
  }

 private:
  // --- reading ---------------------------------------------------------------------------------

  void find_records() {
    std::uint64_t offset = magic.size();
    while (offset < file_.size()) {
      RecordScanner scanner(file_, offset);
      while (const auto record = scanner.next()) {
        records_.push_back(*record);
        offset = scanner.offset();
        if (record->opcode == Opcode::footer && std::ranges::equal(file_.subspan(offset), magic))
          return;
      }
      if (!scanner.damage()) return;
      const std::uint64_t next = find_chunk(offset + 1);
      drop(offset, next - offset, scanner.damage()->reason);
      offset = next;
    }
  }

  // The next chunk whose checksum fits, or the end of the file.
  std::uint64_t find_chunk(std::uint64_t from) {
    const auto mark = std::as_bytes(std::span(chunk_mark));
    auto at = file_.begin() + static_cast<std::ptrdiff_t>(from);
    while ((at = std::search(at, file_.end(), mark.begin(), mark.end())) != file_.end()) {
      const auto mark_offset = static_cast<std::uint64_t>(at - file_.begin());
      ++at;
      if (mark_offset < from + bytes_before_mark) continue;
      RecordScanner scanner(file_, mark_offset - bytes_before_mark);
      const auto record = scanner.next();
      if (!record || record->opcode != Opcode::chunk) continue;
      const auto chunk = decode_chunk(*record);
      if (chunk && chunk->crc != 0 && !reader_.open(file_, *chunk)) return record->offset;
    }
    return file_.size();
  }

  void drop(std::uint64_t offset, std::uint64_t bytes, std::string reason) {
    report_.dropped.push_back({offset, std::move(reason)});
    report_.dropped_bytes += bytes;
  }
  void drop(const Record& record, std::string reason) {
    drop(record.offset, record.length, std::move(reason));
  }

  // --- writing ---------------------------------------------------------------------------------

  void begin(const Header& lost_header) {
    std::optional<Header> header;
    for (const Record& record : records_)
      if (!header && record.opcode == Opcode::header) header = decode_header(record);
    buffer_.bytes(magic);
    append_header(buffer_, header.value_or(lost_header));
    write_buffer();
  }

  void copy_definition(const Record& record) {
    if (record.opcode == Opcode::schema)
      copy_definition(record, decode_schema(record), schemas_, report_.schemas, append_schema);
    else if (record.opcode == Opcode::channel)
      copy_definition(record, decode_channel(record), channels_, report_.channels, append_channel);
  }

  template <class Definition>
  void copy_definition(const Record& record, std::optional<Definition> definition,
                       std::map<std::uint16_t, Definition>& all, std::uint64_t& count,
                       void (*append)(RecordBuffer&, const Definition&)) {
    if (!definition) return drop(record, "A schema or channel can't be decoded.");
    const auto [place, is_new] = all.try_emplace(definition->id, *definition);
    if (!is_new) {
      if (place->second != *definition)
        drop(record, fmt::format("Id {} is defined a second time, differently.", definition->id));
      return;
    }
    ++count;
    append(buffer_, *definition);
    write_buffer();
    summary_.add(std::move(*definition));
  }

  void copy_data(const Record& record) {
    switch (record.opcode) {
      case Opcode::chunk:
        return copy_chunk(record);
      case Opcode::attachment:
        return copy_attachment(record);
      case Opcode::metadata:
        return copy_metadata(record);
      case Opcode::message:
        return drop(record, "A message stands outside of a chunk.");
      default:
        if (record.opcode > Opcode::data_end && record.opcode != Opcode::outline) {
          copy_bytes(record);
          ++report_.other_records;
        }
        // The rest is copied already, or made anew.
    }
  }

  void copy_chunk(const Record& record) {
    const auto chunk = decode_chunk(record);
    if (!chunk) return drop(record, "A chunk is shorter than the parts it says it has.");
    std::map<std::uint16_t, std::vector<MessageEntry>> by_channel;
    std::uint64_t count = 0, start = ~std::uint64_t{0}, end = 0;
    auto damage = for_each_message(file_, *chunk, reader_, [&](const MessageView& message) {
      by_channel[message.channel].push_back({message.log_time, reader_.message_offset()});
      start = std::min(start, message.log_time);
      end = std::max(end, message.log_time);
      ++count;
    });
    if (damage) return drop(record, std::move(damage->reason));
    std::vector<ChannelEntries> entries;
    for (auto& [channel, messages] : by_channel) {
      if (!channels_.contains(channel)) add_lost_channel(record, channel);
      entries.push_back({channel, std::move(messages)});
    }

    // The beginning of a chunk has no checksum, so its times are made anew.
    WrittenChunk written{.offset = out_.size_bytes(),
                         .start_time = count != 0 ? start : 0,
                         .end_time = end,
                         .compressed_bytes = chunk->data_bytes,
                         .uncompressed_bytes = chunk->uncompressed_bytes,
                         .crc = chunk->crc,
                         .compression = chunk->compression};
    buffer_.record(Opcode::chunk, [&] {
      append_chunk_fields(buffer_, written);
      buffer_.bytes(file_.subspan(chunk->data_offset, chunk->data_bytes));
    });
    written.length = buffer_.size();
    summary_.add_chunk(written, entries, written.offset + written.length, buffer_);
    write_buffer();
    ++report_.chunks;
    report_.messages += count;
  }

  // Its messages can't be told from others' anymore, but those beside them in the chunk can.
  void add_lost_channel(const Record& record, std::uint16_t id) {
    drop(record.offset, 0, fmt::format("Channel {} is lost, and so are its messages.", id));
    Channel channel{.id = id,
                    .schema_id = 0,
                    .topic = fmt::format("lost channel {}", id),
                    .message_encoding = "",
                    .metadata = {}};
    append_channel(buffer_, channel);
    write_buffer();
    channels_.emplace(id, channel);
    summary_.add(std::move(channel));
  }

  void copy_attachment(const Record& record) {
    const auto attachment = decode_attachment(record);
    if (!attachment) return drop(record, "An attachment is shorter than the parts it says it has.");
    // A checksum of 0 means none elsewhere; of us it means that a disk never got the end of it.
    const auto sum = file_.subspan(attachment->data_offset + attachment->data_bytes);
    if (!attachment_is_whole(file_, *attachment) || ByteCursor(sum).u32() == 0 ||
        attachment->data_offset + attachment->data_bytes + checksum_bytes !=
            record.offset + record.length)
      return drop(record, "An attachment's checksum doesn't fit its bytes.");
    if (!names_.insert(attachment->name).second)
      return drop(record, "An attachment has the name of one before it.");
    summary_.add(Attachment{.log_time = attachment->log_time,
                            .create_time = attachment->create_time,
                            .name = attachment->name,
                            .media_type = attachment->media_type,
                            .data = attachment_data(file_, *attachment)},
                 out_.size_bytes(), record.length);
    const std::uint64_t fields = attachment->data_offset - record.offset - record_prefix_bytes;
    checks_.add(file_.subspan(record.offset, record_prefix_bytes));
    checks_.add_attachment(record.body.first(fields), attachment->data_bytes,
                           ByteCursor(sum).u32());
    out_.write(file_.subspan(record.offset, record.length));
    ++report_.attachments;
  }

  void copy_metadata(const Record& record) {
    const auto metadata = decode_metadata(record);
    if (!metadata) return drop(record, "A metadata record can't be decoded.");
    if (mark_ && metadata->name == mark_->name) return;
    summary_.add(*metadata, out_.size_bytes(), record.length);
    copy_bytes(record);
    ++report_.metadata;
  }

  void write_mark() {
    if (!mark_) return;
    buffer_.record(Opcode::metadata, [&] {
      buffer_.text(mark_->name);
      buffer_.map(mark_->values);
    });
    summary_.add(*mark_, out_.size_bytes(), buffer_.size());
    write_buffer();
  }

  void copy_bytes(const Record& record) {
    const auto bytes = file_.subspan(record.offset, record.length);
    checks_.add(bytes);
    out_.write(bytes);
  }

  void write_buffer() {
    checks_.add(buffer_.view());
    out_.write(buffer_.view());
    buffer_.clear();
  }

  std::span<const std::byte> file_;
  OutputFile& out_;
  const std::optional<Metadata>& mark_;
  std::vector<Record> records_;
  std::map<std::uint16_t, Schema> schemas_;
  std::map<std::uint16_t, Channel> channels_;
  ChunkReader reader_;
  Summary summary_;
  DataChecks checks_;
  std::set<std::string> names_;  // of attachments
  RecordBuffer buffer_;
  RecoverReport report_;
};

}  // namespace

RecoverReport recover(std::span<const std::byte> damaged, OutputFile& out,
                      const std::optional<Metadata>& mark, const Header& lost_header) {
  if (!begins_with_magic(damaged))
    fail(Code::damaged_document, "This is not an MCAP file, so nothing can be recovered from it.");
  if (out.size_bytes() != 0)
    fail(Code::invalid_argument,
         "The recovered file begins at byte 0, but '{}' has {} bytes already.", out.path().string(),
         out.size_bytes());
  return Recovery(damaged, out, mark).run(lost_header);
}

}  // namespace reel::mcap
