#include "document/mcap_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "base/crc32.hpp"
#include "base/fail.hpp"
#include "document/byte_cursor.hpp"

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
        return take_one("attachment", decode_attachment(record), index_.attachments);
      case Opcode::metadata:
        return take_one("metadata", decode_metadata(record), index_.metadata);
      case Opcode::data_end:
        data_end_ = record.offset + record.length;
        return {};
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

  std::string take_footer(const Record& record) {
    if (!data_end_) return "A footer comes before the end of the data.";
    if (record.body.size() != footer_bytes)
      return fmt::format("The footer has {} bytes; {} are wanted.", record.body.size(),
                         footer_bytes);
    ByteCursor cursor(record.body);
    const std::uint64_t summary = cursor.u64();
    cursor.u64();  // where the summary's own index is
    const std::uint32_t crc = cursor.u32();
    if (summary != 0 && summary != *data_end_)
      return fmt::format("The footer says that the summary is at {}, but it is at {}.", summary,
                         *data_end_);
    const std::uint64_t crc_at = record.offset + record.length - sizeof(crc);
    if (summary != 0 && crc != 0 && file_.crc(summary, crc_at - summary) != crc)
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
  std::optional<std::uint64_t> data_end_;  // where the record of that name ends
  std::unordered_map<std::uint16_t, std::size_t> schema_places_, channel_places_;
};

}  // namespace

Index read_index(FileBytes file) {
  FileBytes::Room room;
  const auto first = file.read(0, magic.size(), room);
  if (first.size() < magic.size())
    fail(Code::damaged_document,
         "This is no MCAP file: it has {} bytes, and the magic alone has {}.", first.size(),
         magic.size());
  if (!begins_with_magic(first)) {
    std::vector<unsigned> begin;
    for (const std::byte byte : first) begin.push_back(static_cast<unsigned>(byte));
    fail(Code::damaged_document,
         "This is no MCAP file: it begins with the bytes {:02x}, not with 89 4d 43 41 50 30 0d 0a.",
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
