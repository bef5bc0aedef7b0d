#include "base/fail.hpp"
#include "document/files/input_file.hpp"
#include "document/files/output_file.hpp"
#include "document/mcap/mcap_recover.hpp"
#include "reel/document.hpp"
#include "reel/error.hpp"

namespace reel {
namespace {

bool is_good(const std::string& path) {
  try {
    return verify_document(path).is_good();
  } catch (const Error& error) {
    if (error.code() == Code::io_failed) throw;
    return false;  // not even loaded
  }
}

// Writes the copy, which is good, or throws and leaves none.
void copy(const std::string& from, std::span<const std::byte> file, OutputFile& out,
          RecoverReport& report) {
  const mcap::RecoverReport recovered = mcap::recover(
      file, out, mcap::Metadata{"reel.recovered", {{"library", "reel " REEL_VERSION}}});
  report.chunks = recovered.chunks;
  report.dropped_bytes = recovered.dropped_bytes;
  for (const mcap::Damage& damage : recovered.dropped)
    report.dropped.push_back(fmt::format("At byte {}: {}", damage.offset, damage.reason));
  report.blobs = recovered.attachments;
  const VerifyReport copied = verify_document(out.written_path());
  if (!copied.is_good())
    fail(Code::damaged_document, "Nothing can be recovered from '{}': {}", from,
         copied.problems.front());
  // A document that holds nothing is no recovery, and whoever asked for one must learn that.
  if (recovered.chunks == 0)
    fail(Code::damaged_document,
         "Nothing can be recovered from '{}': no command, kernel or buffer in it can be read.{}",
         from, report.dropped.empty() ? "" : " " + report.dropped.front());
  report.commands = copied.commands;
  out.close();
}

}  // namespace

RecoverReport recover_document(const std::string& from, const std::string& to) {
  RecoverReport report;
  report.was_whole = is_good(from);
  if (report.was_whole) return report;
  const InputFile file(from);
  OutputFile out(to, {.whole = true, .mode = mode_of(from)});
  copy(from, file.bytes(), out, report);
  return report;
}

}  // namespace reel
