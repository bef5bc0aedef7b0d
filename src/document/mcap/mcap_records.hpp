// mcap_records.hpp - one record after another out of bytes that nobody vouches for.
//
// Everything here borrows the bytes. A place where reading stops is a Damage: an offset in
// the file, and a sentence.
#pragma once

#include <optional>

#include "document/files/file_bytes.hpp"
#include "document/mcap/mcap.hpp"

namespace reel::mcap {

struct Damage {
  std::uint64_t offset = 0;
  std::string reason;  // a whole sentence
};

struct Record {
  Opcode opcode = {};
  std::uint64_t offset = 0;  // of its type byte
  std::uint64_t length = 0;  // with type and length
  std::span<const std::byte>
      body;  // without them; of what a FileScanner gives, perhaps its beginning

  std::uint64_t body_bytes() const { return length - record_prefix_bytes; }
};

// A chunk, not yet uncompressed. `offset` and `length` are of the whole record.
struct ChunkRef {
  std::uint64_t offset = 0, length = 0;
  std::uint64_t message_start_time = 0, message_end_time = 0;
  std::uint64_t data_offset = 0, data_bytes = 0;  // compressed, within the file
  std::uint64_t uncompressed_bytes = 0;           // as the file says
  std::uint32_t crc = 0;                          // of the uncompressed bytes; 0: not known
  std::string compression;                        // "zstd", or "" for none
};

struct AttachmentRef {
  std::string name, media_type;
  std::uint64_t log_time = 0, create_time = 0;
  std::uint64_t offset = 0, length = 0;           // of the whole record
  std::uint64_t data_offset = 0, data_bytes = 0;  // within the file
};

class RecordScanner {
 public:
  RecordScanner(std::span<const std::byte> file, std::uint64_t offset)
      : file_(file), offset_(offset) {}

  // None at the end, and where what follows is no whole record: then damage() says why.
  std::optional<Record> next();
  std::uint64_t offset() const { return offset_; }  // of the next record
  const std::optional<Damage>& damage() const { return damage_; }

 private:
  std::span<const std::byte> file_;
  std::uint64_t offset_;
  std::optional<Damage> damage_;
};

// The same over a file that is read piece by piece. Of chunks and attachments only the beginning
// is read, as much as decode_chunk() and decode_attachment() need, and nothing of a body whose type
// isn't known; all others are whole.
class FileScanner {
 public:
  FileScanner(FileBytes file, std::uint64_t offset) : file_(file), offset_(offset) {}

  // As of a RecordScanner. The body is good until the next call.
  std::optional<Record> next();
  std::uint64_t offset() const { return offset_; }
  const std::optional<Damage>& damage() const { return damage_; }

 private:
  // At least `count` bytes from `offset` on, as long as the file has them.
  std::span<const std::byte> look(std::uint64_t offset, std::uint64_t count);

  FileBytes file_;
  std::uint64_t offset_;
  FileBytes::Room room_;
  std::uint64_t window_offset_ = 0;    // in the file
  std::span<const std::byte> window_;  // what was read last
  std::optional<Damage> damage_;
};

bool begins_with_magic(std::span<const std::byte> bytes);

// None where the body is shorter than what it says it has. More than it says is a newer MCAP.
std::optional<Header> decode_header(const Record& record);
std::optional<Schema> decode_schema(const Record& record);
std::optional<Channel> decode_channel(const Record& record);
std::optional<Metadata> decode_metadata(const Record& record);
std::optional<ChunkRef> decode_chunk(const Record& record);
std::optional<AttachmentRef> decode_attachment(const Record& record);
std::optional<MessageView> decode_message(const Record& record);

}  // namespace reel::mcap
