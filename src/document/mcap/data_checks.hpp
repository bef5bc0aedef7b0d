// data_checks.hpp - the two checksums that cover every byte of an MCAP file before its summary.
//
// `all` is of all bytes, as MCAP has it in DataEnd. `outline` is of all but the data of
// attachments: who loads a document has it without reading gigabytes of blobs, which have a hash of
// their own. An attachment ends with its own checksum, so what it adds to `all` is known from its
// length.
#pragma once

#include "base/bytes/crc32.hpp"

namespace reel::mcap {

class DataChecks {
 public:
  // The next bytes of the file, outside of attachments, by their checksum.
  void add(std::uint32_t crc, std::uint64_t bytes) noexcept {
    all_ = crc32_of_both(all_, crc, bytes);
    outline_ = crc32_of_both(outline_, crc, bytes);
  }
  void add(std::span<const std::byte> bytes) noexcept { add(crc32(bytes), bytes.size()); }
  // What an attachment has after its type and length: its fields, its data, and their checksum.
  void add_attachment(std::span<const std::byte> fields, std::uint64_t data_bytes,
                      std::uint32_t crc) noexcept {
    const auto own = std::as_bytes(std::span(&crc, 1));
    all_ = crc32_of_both(all_, crc32_of_checked, fields.size() + data_bytes + own.size());
    outline_ = crc32(own, crc32(fields, outline_));
  }

  std::uint32_t all() const noexcept { return all_; }
  std::uint32_t outline() const noexcept { return outline_; }

 private:
  std::uint32_t all_ = 0, outline_ = 0;
};

}  // namespace reel::mcap
