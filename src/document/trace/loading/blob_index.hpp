// blob_index.hpp - where in the file each blob lies.
//
// Knows places only; every call that reads is given the file. Immutable, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "document/mcap/mcap_records.hpp"
#include "reel/trace.hpp"

namespace reel::document {

// "xxh3:" and 32 hex digits; none where it is no name of a blob.
std::optional<BlobId> parse_blob_name(std::string_view name);

class BlobIndex {
 public:
  struct Entry {
    BlobId id;
    std::uint64_t data_offset = 0, data_bytes = 0;
    bool compressed = false;
  };

  BlobIndex() = default;
  // Attachments with other names are not blobs. Of equal names the first counts.
  explicit BlobIndex(std::span<const mcap::AttachmentRef> attachments);

  const std::vector<Entry>& entries() const noexcept { return entries_; }  // by id
  const Entry* find(const BlobId& id) const noexcept;
  std::uint64_t stored_bytes() const noexcept { return stored_bytes_; }
  // Uncompressed, and checked against the name; none where it is missing, damaged, or larger
  // than `most_bytes`.
  std::optional<std::vector<std::byte>> read(FileBytes file, const BlobId& id,
                                             std::uint64_t most_bytes = 1u << 30) const;

 private:
  std::vector<Entry> entries_;
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace reel::document
