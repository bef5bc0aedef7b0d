#include <fmt/format.h>

#include "document/input_file.hpp"
#include "document/mcap_reader.hpp"
#include "document/mcap_recover.hpp"
#include "document/output_file.hpp"
#include "reel/document.hpp"
#include "reel/trace.hpp"

namespace reel {
namespace {

bool is_whole(std::span<const std::byte> file) {
  const mcap::Index index = mcap::read_index(file);
  if (!index.complete) return false;
  mcap::ChunkReader reader;
  for (const mcap::ChunkRef& chunk : index.chunks)
    if (mcap::for_each_message(file, chunk, reader, [](const mcap::MessageView&) {})) return false;
  for (const mcap::AttachmentRef& attachment : index.attachments)
    if (!mcap::attachment_is_whole(file, attachment)) return false;
  return true;
}

}  // namespace

RecoverReport recover_document(const std::string& from, const std::string& to) {
  RecoverReport report;
  const InputFile file(from);
  report.was_whole = is_whole(file.bytes());
  if (report.was_whole) return report;
  OutputFile out(to, {.mode = mode_of(from)});
  try {
    const mcap::RecoverReport recovered = mcap::recover(file.bytes(), out);
    report.chunks = recovered.chunks;
    report.dropped_bytes = recovered.dropped_bytes;
    for (const mcap::Damage& damage : recovered.dropped)
      report.dropped.push_back(fmt::format("At byte {}: {}", damage.offset, damage.reason));
    report.blobs = recovered.attachments;
    out.close();
    report.commands = Trace::load(to).commands().size();
  } catch (...) {
    out.discard();  // half a copy helps nobody
    throw;
  }
  return report;
}

}  // namespace reel
