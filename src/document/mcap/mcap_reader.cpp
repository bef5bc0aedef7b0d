#include "document/mcap/mcap_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "base/fail.hpp"
#include "document/mcap/byte_cursor.hpp"
#include "document/mcap/data_checks.hpp"

namespace reel::mcap {
namespace {

// Builds the index from one record after another; each take() says what is wrong, if anything.
class IndexBuilder {
 public:
  explicit IndexBuilder(FileBytes file) : file_(file) {}

  Index build() && {
    FileScanner scanner(file_, magic.size());
    while (!index_.complete && !index_.damage) {
      const auto record = scanner.next();
      if (!record)
        stop(scanner.damage().value_or(
            Damage{scanner.offset(), "The file ends without a footer: it was never closed."}));
      else if (const std::string wrong = take(*record); !wrong.empty())
        stop({record->offset, wrong});
    }
    return std::move(index_);
  }

 private:
  void stop(Damage damage) { index_.damage = std::move(damage); }

  std::string take(const Record& record) {
    if (!has_header_) return take_header(record);
    if (record.opcode == Opcode::footer) return take_footer(record);
    if (data_end_) return {};  // the summary: told of better by what it summarises
    switch (record.opcode) {
      case Opcode::schema:
        return take_definition("schema", decode_schema(record), index_.schemas, schema_places_);
      case Opcode::channel:
        return take_definition("channel", decode_channel(record), index_.channels, channel_places_);
      case Opcode::chunk:
        return take_one("chunk", decode_chunk(record), index_.chunks);
      case Opcode::attachment:
        if (std::string wrong =
                take_one("attachment", decode_attachment(record), index_.attachments);
            !wrong.empty())
          return wrong;
        return sum_attachment(record, index_.attachments.back());
      case Opcode::metadata:
        return take_one("metadata", decode_metadata(record), index_.metadata);
      case Opcode::outline:
        return take_outline(record);
      case Opcode::data_end:
        return take_data_end(record);
      default:
        return {};
    }
  }

  std::string take_header(const Record& record) {
    if (record.opcode != Opcode::header)
      return fmt::format("The first record has type {}; a header (type 1) is wanted.",
                         static_cast<int>(record.opcode));
    auto header = decode_header(record);
    if (!header) return too_short("header");
    index_.header = std::move(*header);
    has_header_ = true;
    return {};
  }

  // What has an id may come again, but not otherwise.
  template <class Definition>
  static std::string take_definition(const char* what, std::optional<Definition> definition,
                                     std::vector<Definition>& all,
                                     std::unordered_map<std::uint16_t, std::size_t>& places) {
    if (!definition) return too_short(what);
    const auto [place, is_new] = places.try_emplace(definition->id, all.size());
    if (is_new)
      all.push_back(std::move(*definition));
    else if (all[place->second] != *definition)
      return fmt::format("The {} {} is defined twice, and differently.", what, definition->id);
    return {};
  }

  template <class One>
  static std::string take_one(const char* what, std::optional<One> one, std::vector<One>& all) {
    if (!one) return too_short(what);
    all.push_back(std::move(*one));
    return {};
  }

  static std::string too_short(const char* what) {
    return fmt::format("The {} is shorter than the parts it says it has.", what);
  }

  // --- checksums of all: each byte is summed once, but those of attachments' data not at all

  // What stands between the last attachment and `end`.
  std::string sum_until(std::uint64_t end) {
    const auto crc = file_.crc(summed_, end - summed_);
    if (!crc) return "The file was cut shorter while it was being read.";
    checks_.add(*crc, end - summed_);
    summed_ = end;
    return {};
  }

  std::string sum_attachment(const Record& record, const AttachmentRef& attachment) {
    const std::uint64_t body = record.offset + record_prefix_bytes;
    const std::uint64_t crc_at = attachment.data_offset + attachment.data_bytes;
    if (std::string wrong = sum_until(body); !wrong.empty()) return wrong;
    FileBytes::Room room;
    ByteCursor crc(file_.read(crc_at, checksum_bytes, room));
    const std::uint32_t value = crc.u32();
    if (!crc.ok()) return "The file was cut shorter while it was being read.";
    // Bytes behind the checksum are of a newer MCAP; no checksum of an attachment: of another
    // writer.
    has_unsummed_ |= value == 0 || crc_at + checksum_bytes != record.offset + record.length;
    checks_.add_attachment(record.body.first(attachment.data_offset - body), attachment.data_bytes,
                           value);
    summed_ = record.offset + record.length;
    return {};
  }

  std::string take_outline(const Record& record) {
    if (outline_end_) return "The outline's checksum comes twice.";
    if (record.body.size() != checksum_bytes) return "The outline's checksum has not four bytes.";
    if (std::string wrong = sum_until(record.offset); !wrong.empty()) return wrong;
    if (ByteCursor(record.body).u32() != checks_.outline())
      return "The checksum of everything before this place, but for the data of attachments, "
             "doesn't fit: something there was changed.";
    outline_end_ = record.offset + record.length;
    return {};
  }

  std::string take_data_end(const Record& record) {
    if (std::string wrong = sum_until(record.offset); !wrong.empty()) return wrong;
    data_end_ = record.offset + record.length;
    index_.is_covered = outline_end_ == record.offset;
    if (outline_end_ && !index_.is_covered)
      return "Something stands between the outline's checksum and the end of the data.";
    ByteCursor cursor(record.body);
    const std::uint32_t crc = cursor.u32();
    if (index_.is_covered && record.body.size() != checksum_bytes)
      return fmt::format("The end of the data has {} bytes; {} are wanted.", record.body.size(),
                         checksum_bytes);
    const bool is_known = index_.is_covered || (crc != 0 && !has_unsummed_);
    if (is_known && crc != checks_.all())
      return "The checksum of all data doesn't fit: something before this place was changed.";
    return {};
  }

  std::string take_footer(const Record& record) {
    if (!data_end_) return "A footer comes before the end of the data.";
    if (record.body.size() != footer_bytes)
      return fmt::format("The footer has {} bytes; {} are wanted.", record.body.size(),
                         footer_bytes);
    ByteCursor cursor(record.body);
    const std::uint64_t summary = cursor.u64();
    cursor.u64();  // where the summary's own index is
    const std::uint32_t crc = cursor.u32();
    const bool has_summary = summary != 0 || index_.is_covered;
    if (has_summary && summary != *data_end_)
      return fmt::format("The footer says that the summary is at {}, but it is at {}.", summary,
                         *data_end_);
    const std::uint64_t crc_at = record.offset + record.length - sizeof(crc);
    if (has_summary && (crc != 0 || index_.is_covered) &&
        file_.crc(summary, crc_at - summary) != crc)
      return "The summary's checksum doesn't fit its bytes; the data before it is all there.";
    const std::uint64_t end = record.offset + record.length;
    FileBytes::Room room;
    if (!std::ranges::equal(file_.read(end, magic.size() + 1, room), magic))
      return fmt::format("Behind the footer, {} bytes are not the {} of MCAP's magic.",
                         file_.size() - end, magic.size());
    index_.complete = true;
    return {};
  }

  FileBytes file_;
  Index index_;
  bool has_header_ = false;
  DataChecks checks_;
  std::uint64_t summed_ = 0;                  // up to here
  bool has_unsummed_ = false;                 // attachments without a checksum that we know
  std::optional<std::uint64_t> outline_end_;  // where the record of that name ends
  std::optional<std::uint64_t> data_end_;     // where the record of that name ends
  std::unordered_map<std::uint16_t, std::size_t> schema_places_, channel_places_;
};

}  // namespace

Index read_index(FileBytes file) {
  FileBytes::Room room;
  const auto first = file.read(0, magic.size(), room);
  if (first.size() < magic.size())
    fail(Code::damaged_document,
         "This is not an MCAP file: it has {} bytes, and the magic alone has {}.", first.size(),
         magic.size());
  if (!begins_with_magic(first)) {
    std::vector<unsigned> begin;
    for (const std::byte byte : first) begin.push_back(static_cast<unsigned>(byte));
    fail(Code::damaged_document,
         "This is not an MCAP file: it begins with the bytes {:02x}, not with 89 4d 43 41 50 30 0d "
         "0a.",
         fmt::join(begin, " "));
  }
  return IndexBuilder(file).build();
}

std::span<const std::byte> attachment_data(std::span<const std::byte> file,
                                           const AttachmentRef& attachment) {
  return file.subspan(attachment.data_offset, attachment.data_bytes);
}

bool attachment_is_whole(std::span<const std::byte> file, const AttachmentRef& attachment) {
  const std::uint64_t begin = attachment.offset + record_prefix_bytes;
  const std::uint64_t end = attachment.data_offset + attachment.data_bytes;
  const std::uint32_t crc = ByteCursor(file.subspan(end)).u32();
  return crc == 0 || crc32(file.subspan(begin, end - begin)) == crc;
}

}  // namespace reel::mcap
