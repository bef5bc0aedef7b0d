// mcap_reader.hpp - reads an MCAP file that nobody vouches for.
//
// read_index() walks over the records from the front and never trusts the index at the end, so a
// file that was cut off or damaged gives everything before that place, and says where it is. It
// looks at the beginnings of chunks and attachments only; reading those is what a ChunkReader and
// attachment_is_whole() are for. Everything borrows the file.
//
// Lengths and counts are checked before they are believed. Where the writer gave checksums of all
// (our own does, when it closes a file), every byte but the data of attachments is compared with
// them. In a file that was never closed, chunks and attachments have checksums; schemas, channels,
// metadata and the beginnings of chunks have none, and are as good as the disk. Schemas and
// channels are looked for outside of chunks, messages inside.
#pragma once

#include <memory>

#include "document/mcap/mcap_records.hpp"

struct ZSTD_DCtx_s;

namespace reel::mcap {

struct Index {
  Header header;
  std::vector<Schema> schemas;
  std::vector<Channel> channels;
  std::vector<ChunkRef> chunks;
  std::vector<AttachmentRef> attachments;
  std::vector<Metadata> metadata;
  bool is_covered = false;       // checksums cover every byte
  bool complete = false;         // whole up to the last byte: then there is no damage
  std::optional<Damage> damage;  // where reading stopped, and why
};

// Throws Error(damaged_document) where the bytes don't begin as an MCAP file.
Index read_index(FileBytes file);

// The bytes of an attachment that read_index() found in this file.
std::span<const std::byte> attachment_data(std::span<const std::byte> file,
                                           const AttachmentRef& attachment);
// Reads all of it: does its checksum fit? True also where the writer gave none.
bool attachment_is_whole(std::span<const std::byte> file, const AttachmentRef& attachment);

// Uncompresses one chunk after another into the same memory. One thread at a time each.
class ChunkReader {
 public:
  // A chunk that says it is larger than this, uncompressed, is not read.
  explicit ChunkReader(std::uint64_t limit_bytes = max_chunk_bytes);
  ChunkReader(ChunkReader&&) noexcept;
  ChunkReader& operator=(ChunkReader&&) noexcept;
  ~ChunkReader();

  // Uncompresses and checks a chunk that read_index() found in this file. With a damage, which is
  // at the chunk's offset, nothing of it can be had.
  std::optional<Damage> open(FileBytes file, const ChunkRef& chunk);

  // The next message of the open chunk, good until the next open(). None at the end, and where the
  // chunk is wrong inside although its checksum fits: then damage() says why.
  std::optional<MessageView> next();
  const std::optional<Damage>& damage() const { return damage_; }
  // Where in the uncompressed chunk the message that next() gave begins.
  std::uint64_t message_offset() const { return message_offset_; }

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx_s* context) const;
  };

  // The chunk's records, or none and damage_.
  std::optional<std::span<const std::byte>> uncompress(std::span<const std::byte> data,
                                                       const ChunkRef& chunk);

  std::uint64_t limit_bytes_;
  FileBytes::Room compressed_;
  std::unique_ptr<ZSTD_DCtx_s, FreeContext> context_;
  std::unique_ptr<std::byte[]> memory_;
  std::uint64_t memory_bytes_ = 0;
  RecordScanner records_{{}, 0};
  std::uint64_t chunk_offset_ = 0, message_offset_ = 0;
  std::optional<Damage> damage_;
};

// Calls visit(const MessageView&) for each message of a chunk; what it saw before a damage is good.
template <class Visit>
std::optional<Damage> for_each_message(FileBytes file, const ChunkRef& chunk, ChunkReader& reader,
                                       Visit&& visit) {
  if (auto damage = reader.open(file, chunk)) return damage;
  while (const auto message = reader.next()) visit(*message);
  return reader.damage();
}

}  // namespace reel::mcap
