#include "document/trace/loading/blob_index.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/bytes/hash128.hpp"

namespace reel::document {
namespace {

using Bytes = std::vector<std::byte>;

// The frame says how large it is; what lies in it may say otherwise, and is then no blob.
std::optional<Bytes> uncompressed(std::span<const std::byte> data, std::uint64_t most_bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(data.data(), data.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most_bytes)
    return std::nullopt;
  // zstd makes no more than 128 KiB of a block of four bytes.
  if (size / (32u << 10) > data.size()) return std::nullopt;
  // Kept by the thread: a new one takes 160 KB from the system, and gives them back.
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{ZSTD_createDCtx(),
                                                                                  ZSTD_freeDCtx};
  if (!context) throw std::bad_alloc();
  Bytes bytes(size);
  const std::size_t got =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), data.data(), data.size());
  if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<BlobId> parse_blob_name(std::string_view name) {
  constexpr std::string_view prefix = "xxh3:";
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto hash = hash128_from_hex(name.substr(prefix.size()));
  if (!hash) return std::nullopt;
  return BlobId{hash->low, hash->high};
}

BlobIndex::BlobIndex(std::span<const mcap::AttachmentRef> attachments) {
  for (const mcap::AttachmentRef& attachment : attachments) {
    const auto id = parse_blob_name(attachment.name);
    if (!id) continue;
    entries_.push_back({*id, attachment.data_offset, attachment.data_bytes,
                        attachment.media_type == "application/zstd"});
    stored_bytes_ += attachment.data_bytes;
  }
  std::ranges::stable_sort(entries_, {}, &Entry::id);
  const auto same = [](const Entry& a, const Entry& b) { return a.id == b.id; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
}

const BlobIndex::Entry* BlobIndex::find(const BlobId& id) const noexcept {
  const auto found = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
  return found != entries_.end() && found->id == id ? &*found : nullptr;
}

std::optional<Bytes> BlobIndex::read(FileBytes file, const BlobId& id,
                                     std::uint64_t most_bytes) const {
  const Entry* entry = find(id);
  if (!entry) return std::nullopt;
  const std::uint64_t most_stored = entry->compressed ? ZSTD_compressBound(most_bytes) : most_bytes;
  if (entry->data_bytes > most_stored) return std::nullopt;
  FileBytes::Room room;
  const auto data = file.read(entry->data_offset, entry->data_bytes, room);
  if (data.size() < entry->data_bytes) return std::nullopt;  // the file was cut shorter
  std::optional<Bytes> bytes =
      entry->compressed ? uncompressed(data, most_bytes) : Bytes(data.begin(), data.end());
  if (!bytes || hash128(*bytes) != Hash128{id.low, id.high}) return std::nullopt;
  return bytes;
}

}  // namespace reel::document
