#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/bytes/hash128.hpp"
#include "base/fail.hpp"
#include "document/files/input_file.hpp"
#include "document/files/output_file.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_writer.hpp"
#include "document/trace/loading/blob_index.hpp"
#include "reel/document.hpp"
#include "reel/trace.hpp"
#include "schema_generated.h"

namespace reel {
namespace {

using BlobSet = std::unordered_set<Hash128>;

Hash128 hash_of(const BlobId& id) { return {id.low, id.high}; }

BlobSet blobs_to_drop(const Trace& trace, const StripOptions& options) {
  BlobSet pages, sources;
  for (const TraceContents& contents : trace.contents())
    for (const BlobId& page : trace.pages(contents)) pages.insert(hash_of(page));
  for (const TraceKernel& kernel : trace.kernels())
    for (const TraceVariant& variant : kernel.variants)
      if (variant.blob) sources.insert(hash_of(*variant.blob));
  if (options.sources)
    pages.merge(sources);
  else  // a buffer may hold the text of a kernel
    for (const Hash128& source : sources) pages.erase(source);
  return pages;
}

// Makes every value of the column 0 where it lies, so that columns of newer versions stay.
void clear_column(const schema::Numbers& column) {
  auto& numbers = const_cast<schema::Numbers&>(column);
  auto& table = reinterpret_cast<flatbuffers::Table&>(numbers);
  table.SetField<std::int64_t>(schema::Numbers::VT_LEAST, 0, 0);
  table.SetField<std::int64_t>(schema::Numbers::VT_FIRST, 0, 0);
  const auto clear = [](const auto* vector) {
    if (!vector) return;
    auto* data = const_cast<std::uint8_t*>(vector->Data());
    std::fill_n(data, std::size_t{vector->size()} * sizeof(*vector->data()), std::uint8_t{0});
  };
  clear(numbers.w1());
  clear(numbers.w2());
  clear(numbers.w4());
  clear(numbers.w8());
}

// The batch, with `stored` of every row 0.
std::span<const std::byte> without_pages(std::span<const std::byte> message,
                                         std::vector<std::uint64_t>& memory) {
  memory.resize((message.size() + 7) / 8);
  if (!message.empty()) std::memcpy(memory.data(), message.data(), message.size());
  auto* bytes = reinterpret_cast<std::uint8_t*>(memory.data());
  flatbuffers::Verifier verifier(bytes, message.size());
  if (schema::VerifyBatchBuffer(verifier)) {
    const schema::Contents* contents = schema::GetBatch(bytes)->contents();
    if (contents && contents->stored()) clear_column(*contents->stored());
  }
  return std::as_bytes(std::span(bytes, message.size()));
}

class Copier {
 public:
  Copier(std::span<const std::byte> file, OutputFile& out)
      : file_(file), index_(mcap::read_index(file)), writer_(out, index_.header) {
    std::unordered_map<std::uint16_t, std::uint16_t> schemas{{0, 0}};
    for (const mcap::Schema& schema : index_.schemas)
      schemas[schema.id] = writer_.add_schema(schema.name, schema.encoding, schema.data);
    for (const mcap::Channel& channel : index_.channels) {
      channels_[channel.id] = writer_.add_channel(channel.topic, channel.message_encoding,
                                                  schemas[channel.schema_id], channel.metadata);
      if (channel.topic == "/contents") contents_.insert(channel.id);
    }
  }

  // How many blobs were left out.
  std::uint64_t copy(const BlobSet& dropped, const StripOptions& options) {
    std::uint64_t count = 0;
    // A blob stays before the batch that names it.
    auto attachment = index_.attachments.begin();
    const auto copy_attachments_before = [&](std::uint64_t offset) {
      for (; attachment != index_.attachments.end() && attachment->offset < offset; ++attachment) {
        const auto id = document::parse_blob_name(attachment->name);
        if (id && dropped.contains(hash_of(*id)))
          ++count;
        else
          writer_.attachment({attachment->log_time, attachment->create_time, attachment->name,
                              attachment->media_type, mcap::attachment_data(file_, *attachment)});
      }
    };
    for (mcap::Metadata metadata : index_.metadata) {
      if (metadata.name == "reel")
        metadata.values["stripped"] = options.sources ? "contents, sources" : "contents";
      if (metadata.name != "reel.end") writer_.metadata(metadata);
    }
    mcap::ChunkReader reader;
    for (const mcap::ChunkRef& chunk : index_.chunks) {
      copy_attachments_before(chunk.offset);
      mcap::for_each_message(file_, chunk, reader, [&](const mcap::MessageView& message) {
        const auto channel = channels_.find(message.channel);
        if (channel == channels_.end()) return;
        writer_.message(channel->second, message.log_time,
                        contents_.contains(message.channel) ? without_pages(message.data, memory_)
                                                            : message.data);
      });
      writer_.flush_chunk();
    }
    copy_attachments_before(file_.size());
    for (const mcap::Metadata& metadata : index_.metadata)
      if (metadata.name == "reel.end") writer_.metadata(metadata);
    writer_.close();
    return count;
  }

 private:
  std::span<const std::byte> file_;
  mcap::Index index_;
  mcap::Writer writer_;
  std::unordered_map<std::uint16_t, std::uint16_t> channels_;
  std::unordered_set<std::uint16_t> contents_;
  std::vector<std::uint64_t> memory_;
};

}  // namespace

StripReport strip_document(const std::string& from, const std::string& to,
                           const StripOptions& options) {
  const Trace trace = Trace::load(from);
  if (!trace.is_complete())
    fail(Code::damaged_document, "'{}' is damaged or was cut short ({}); recover it first.", from,
         trace.problems().empty() ? "no index" : trace.problems().front());
  const InputFile file(from);
  OutputFile out(to, {.whole = true, .mode = mode_of(from)});
  StripReport report;
  report.blobs_dropped = Copier(file.bytes(), out).copy(blobs_to_drop(trace, options), options);
  report.bytes_before = file.bytes().size();
  report.bytes_after = out.size_bytes();
  out.close();
  return report;
}

}  // namespace reel
