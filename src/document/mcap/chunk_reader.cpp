#include <fmt/format.h>
#include <zstd.h>

#include "base/bytes/crc32.hpp"
#include "base/fail.hpp"
#include "document/mcap/mcap_reader.hpp"

namespace reel::mcap {

void ChunkReader::FreeContext::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

ChunkReader::ChunkReader(std::uint64_t limit_bytes)
    : limit_bytes_(limit_bytes), context_(ZSTD_createDCtx()) {
  if (!context_) fail(Code::out_of_memory, "No memory to uncompress with.");
}

ChunkReader::ChunkReader(ChunkReader&&) noexcept = default;
ChunkReader& ChunkReader::operator=(ChunkReader&&) noexcept = default;
ChunkReader::~ChunkReader() = default;

std::optional<Damage> ChunkReader::open(FileBytes file, const ChunkRef& chunk) {
  damage_.reset();
  records_ = RecordScanner({}, 0);
  chunk_offset_ = chunk.offset;
  if (chunk.data_bytes > limit_bytes_) {
    damage_ = {chunk.offset, fmt::format("The chunk has {} bytes in the file; {} are allowed.",
                                         chunk.data_bytes, limit_bytes_)};
    return damage_;
  }
  const auto data = file.read(chunk.data_offset, chunk.data_bytes, compressed_);
  if (data.size() < chunk.data_bytes) {
    damage_ = {chunk.offset,
               fmt::format("Of the chunk's {} bytes, only {} are still there: the file was cut "
                           "shorter after it was opened.",
                           chunk.data_bytes, data.size())};
    return damage_;
  }
  const auto records = uncompress(data, chunk);
  if (records && chunk.crc != 0 && crc32(*records) != chunk.crc)
    damage_ = {chunk.offset, "The chunk's checksum doesn't fit its bytes."};
  if (!damage_) records_ = RecordScanner(*records, 0);
  return damage_;
}

std::optional<std::span<const std::byte>> ChunkReader::uncompress(std::span<const std::byte> data,
                                                                  const ChunkRef& chunk) {
  const auto broken = [&](std::string reason) {
    damage_ = {chunk.offset, std::move(reason)};
    return std::nullopt;
  };
  const std::uint64_t size = chunk.uncompressed_bytes;
  if (chunk.compression.empty()) {
    if (data.size() == size) return data;
    return broken(fmt::format("The chunk says it has {} bytes, but has {}.", size, data.size()));
  }
  if (chunk.compression != "zstd")
    return broken(fmt::format("The chunk is compressed with '{}'; only zstd is known here.",
                              chunk.compression));
  if (size > limit_bytes_)
    return broken(fmt::format("The chunk says it has {} bytes uncompressed; {} are allowed.", size,
                              limit_bytes_));
  if (ZSTD_getFrameContentSize(data.data(), data.size()) != size)
    return broken(
        fmt::format("The chunk says it has {} bytes uncompressed, but what is compressed in it "
                    "says otherwise.",
                    size));
  if (memory_bytes_ < size) {
    memory_.reset();
    memory_bytes_ = 0;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(size);  // untouched, so not yet in use
    memory_bytes_ = size;
  }
  const std::size_t count =
      ZSTD_decompressDCtx(context_.get(), memory_.get(), size, data.data(), data.size());
  if (ZSTD_isError(count) != 0)
    return broken(fmt::format("The chunk can't be uncompressed: {}.", ZSTD_getErrorName(count)));
  if (count != size)
    return broken(
        fmt::format("The chunk says it has {} bytes uncompressed, but has {}.", size, count));
  return std::span<const std::byte>(memory_.get(), size);
}

std::optional<MessageView> ChunkReader::next() {
  if (damage_) return std::nullopt;
  while (const auto record = records_.next()) {
    if (record->opcode != Opcode::message) continue;
    message_offset_ = record->offset;
    auto message = decode_message(*record);
    if (!message)
      damage_ = {chunk_offset_,
                 fmt::format("A message in the chunk has {} bytes; {} are the least.",
                             record->body.size(), message_prefix_bytes)};
    return message;
  }
  if (const auto& inner = records_.damage())
    damage_ = {chunk_offset_,
               fmt::format("In the chunk, at its byte {}: {}", inner->offset, inner->reason)};
  return std::nullopt;
}

}  // namespace reel::mcap
