// mcap_recover.hpp - a whole MCAP file out of a damaged one.
//
// Everything that can be shown to be good is copied: chunks and attachments whose checksums fit,
// schemas, channels and metadata that decode. Behind a place where records can't be told apart
// anymore, the next good chunk is searched for. The copy gets an index and a summary of its own.
#pragma once

#include "document/files/output_file.hpp"
#include "document/mcap/mcap_records.hpp"

namespace reel::mcap {

struct RecoverReport {
  // What was kept.
  std::uint64_t schemas = 0, channels = 0, chunks = 0, messages = 0, attachments = 0, metadata = 0;
  std::uint64_t other_records = 0;  // of kinds that are not known here, copied as they are
  // What was not: where in the damaged file, why, and how many of its bytes.
  std::vector<Damage> dropped;
  std::uint64_t dropped_bytes = 0;
};

// `mark` is written too, where it is given, in place of one of that name. `lost_header` is written
// where the file's own can't be read. Throws Error(damaged_document) where
// the bytes don't begin as an MCAP file, Error(io_failed) where the copy can't be written.
RecoverReport recover(std::span<const std::byte> damaged, OutputFile& out,
                      const std::optional<Metadata>& mark = std::nullopt,
                      const Header& lost_header = {.profile = "reel", .library = "reel"});

}  // namespace reel::mcap
