#include <fmt/format.h>

#include "document/blob_index.hpp"
#include "document/input_file.hpp"
#include "document/mcap_reader.hpp"
#include "reel/document.hpp"
#include "reel/trace.hpp"

namespace reel {

VerifyReport verify_document(const std::string& path) {
  VerifyReport report;
  const Trace trace = Trace::load(path);
  (trace.is_complete() ? report.remarks : report.problems) = trace.problems();
  report.file_bytes = trace.file_bytes();
  report.commands = trace.commands().size();

  const InputFile file(path);
  const mcap::Index index = mcap::read_index(file.bytes());
  report.chunks = index.chunks.size();
  for (const mcap::AttachmentRef& attachment : index.attachments) {
    const auto id = document::parse_blob_name(attachment.name);
    if (!mcap::attachment_is_whole(file.bytes(), attachment))
      report.problems.push_back(
          fmt::format("The checksum of '{}' at byte {} doesn't fit its bytes.",
                      id ? attachment.name : std::string("an attachment"), attachment.offset));
    else if (id && !trace.blob(*id))
      report.problems.push_back(
          fmt::format("The blob '{}' at byte {} doesn't hold the bytes that its name says.",
                      attachment.name, attachment.offset));
    if (!id) continue;
    ++report.blobs;
    report.blob_bytes += attachment.data_bytes;
  }
  return report;
}

}  // namespace reel
