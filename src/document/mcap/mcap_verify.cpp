#include "document/mcap/mcap_verify.hpp"

#include <algorithm>
#include <map>

#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_summary.hpp"

namespace reel::mcap {
namespace {

class SummaryCheck {
 public:
  explicit SummaryCheck(std::span<const std::byte> file) : file_(file) {}

  std::optional<Damage> run() && {
    RecordScanner scanner(file_, magic.size());
    while (const auto record = scanner.next()) {
      if (record->opcode == Opcode::data_end) return compare_end(*record);
      if (auto damage = take(*record)) return damage;
    }
    return scanner.damage();
  }

 private:
  std::optional<Damage> take(const Record& record) {
    switch (record.opcode) {
      case Opcode::schema:
        if (auto schema = decode_schema(record)) summary_.add(std::move(*schema));
        return std::nullopt;
      case Opcode::channel:
        if (auto channel = decode_channel(record)) summary_.add(std::move(*channel));
        return std::nullopt;
      case Opcode::chunk:
        return take_chunk(record);
      case Opcode::attachment:
        if (const auto one = decode_attachment(record))
          summary_.add(Attachment{.log_time = one->log_time,
                                  .create_time = one->create_time,
                                  .name = one->name,
                                  .media_type = one->media_type,
                                  .data = attachment_data(file_, *one)},
                       record.offset, record.length);
        return std::nullopt;
      case Opcode::metadata:
        if (const auto one = decode_metadata(record))
          summary_.add(*one, record.offset, record.length);
        return std::nullopt;
      case Opcode::outline:
        outline_ = record.offset;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<Damage> take_chunk(const Record& record) {
    const auto chunk = decode_chunk(record);
    if (!chunk) return Damage{record.offset, "A chunk can't be decoded."};
    std::map<std::uint16_t, std::vector<MessageEntry>> by_channel;
    std::uint64_t start = ~std::uint64_t{0}, end = 0;
    if (auto damage = for_each_message(file_, *chunk, reader_, [&](const MessageView& message) {
          by_channel[message.channel].push_back({message.log_time, reader_.message_offset()});
          start = std::min(start, message.log_time);
          end = std::max(end, message.log_time);
        }))
      return damage;
    if (by_channel.empty()) start = 0;
    if (chunk->message_start_time != start || chunk->message_end_time != end)
      return Damage{record.offset, "A chunk's times are not those of its messages."};
    std::vector<ChannelEntries> entries;
    for (auto& [channel, messages] : by_channel) entries.push_back({channel, std::move(messages)});
    RecordBuffer expected;
    const std::uint64_t behind = record.offset + record.length;
    summary_.add_chunk({.offset = record.offset,
                        .length = record.length,
                        .start_time = start,
                        .end_time = end,
                        .compressed_bytes = chunk->data_bytes,
                        .uncompressed_bytes = chunk->uncompressed_bytes,
                        .crc = chunk->crc,
                        .compression = chunk->compression},
                       entries, behind, expected);
    return compare(behind, expected.view(), "The index of a chunk's messages is wrong.");
  }

  std::optional<Damage> compare_end(const Record& record) {
    RecordBuffer expected;
    summary_.append_end(expected, outline_, {});
    // The checksums before the summary were compared when the file was opened.
    const std::uint64_t end = record.offset + record.length;
    return compare(end, expected.view().subspan(end - outline_),
                   "The summary is not that of the records before it.");
  }

  std::optional<Damage> compare(std::uint64_t offset, std::span<const std::byte> expected,
                                const char* reason) const {
    const auto found = file_.subspan(offset, std::min(expected.size(), file_.size() - offset));
    if (std::ranges::equal(found, expected)) return std::nullopt;
    return Damage{offset, reason};
  }

  std::span<const std::byte> file_;
  ChunkReader reader_;
  Summary summary_;
  std::uint64_t outline_ = 0;
};

}  // namespace

std::optional<Damage> check_summary(std::span<const std::byte> file) {
  return SummaryCheck(file).run();
}

}  // namespace reel::mcap
