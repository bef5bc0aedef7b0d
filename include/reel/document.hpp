// document.hpp - documents as files: check one, rescue one, make one smaller.
//
//   reel::VerifyReport report = reel::verify_document("pass.reel");
//
// None of these changes the document that it reads. Each throws io_failed where a file can't be
// read or written, damaged_document where it is no document, unsupported where its format is newer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reel {

struct VerifyReport {                 // what is wrong with a document
  std::vector<std::string> problems;  // what is damaged or missing, a sentence each
  std::vector<std::string> remarks;   // what is worth knowing and no damage
  std::uint64_t file_bytes = 0, chunks = 0, commands = 0, blobs = 0, blob_bytes = 0;

  bool is_good() const noexcept { return problems.empty(); }  // nothing is
};
// Reads every byte: checksums, rows, references, and the hash of every blob.
VerifyReport verify_document(const std::string& path);

struct RecoverReport {                                // what could be saved
  bool was_whole = false;                             // then nothing was written
  std::uint64_t chunks = 0, blobs = 0, commands = 0;  // of the copy
  std::vector<std::string> dropped;                   // what was not copied, and why
  std::uint64_t dropped_bytes = 0;
};
// Writes everything that can be shown to be good into a new document, with an index. `to` must not
// exist.
RecoverReport recover_document(const std::string& from, const std::string& to);

struct StripOptions {    // what to leave out
  bool sources = false;  // drop the sources of kernels too
};
struct StripReport {  // what was left out
  std::uint64_t bytes_before = 0, bytes_after = 0, blobs_dropped = 0;
};
// Writes a copy without the bytes of buffers; their hashes stay. `to` must not exist.
StripReport strip_document(const std::string& from, const std::string& to,
                           const StripOptions& options = {});

}  // namespace reel
