#include <fmt/format.h>

#include <set>

#include "document/files/input_file.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_verify.hpp"
#include "document/trace/loading/blob_index.hpp"
#include "reel/document.hpp"
#include "reel/trace.hpp"

namespace reel {
namespace {

// What is wrong with the attachment, if anything. Each is read itself: of two with the same name,
// a trace has one.
std::string check(std::span<const std::byte> file, const mcap::AttachmentRef& attachment) {
  const auto id = document::parse_blob_name(attachment.name);
  const std::string what = id ? "blob '" + attachment.name + "'" : "attachment";
  if (!mcap::attachment_is_whole(file, attachment))
    return fmt::format("The checksum of the {} at byte {} doesn't fit its bytes.", what,
                       attachment.offset);
  if (id && !document::BlobIndex(std::span(&attachment, 1)).read(file, *id))
    return fmt::format("The {} at byte {} doesn't hold the bytes that its name says.", what,
                       attachment.offset);
  return {};
}

}  // namespace

VerifyReport verify_document(const std::string& path) {
  VerifyReport report;
  const Trace trace = Trace::load(path);
  (trace.is_complete() ? report.remarks : report.problems) = trace.problems();
  report.file_bytes = trace.file_bytes();
  report.commands = trace.commands().size();

  const InputFile input(path);
  const std::span<const std::byte> file = input.bytes();
  const mcap::Index index = mcap::read_index(file);
  report.chunks = index.chunks.size();
  std::set<std::string_view> names;
  for (const mcap::AttachmentRef& attachment : index.attachments) {
    if (std::string wrong = check(file, attachment); !wrong.empty())
      report.problems.push_back(std::move(wrong));
    const bool is_blob = document::parse_blob_name(attachment.name).has_value();
    if (!names.insert(attachment.name).second && is_blob)
      report.problems.push_back(fmt::format("The blob '{}' comes a second time, at byte {}.",
                                            attachment.name, attachment.offset));
    if (!is_blob) continue;
    ++report.blobs;
    report.blob_bytes += attachment.data_bytes;
  }
  if (index.is_covered && report.problems.empty()) {
    if (const auto damage = mcap::check_summary(file))
      report.problems.push_back(fmt::format("At byte {}: {}", damage->offset, damage->reason));
  } else if (index.complete && !index.is_covered) {
    report.remarks.emplace_back(
        "The document has no checksums of all its bytes, as those of earlier versions of reel: a "
        "change of types, lengths, channels and metadata can't be found.");
  }
  return report;
}

}  // namespace reel
