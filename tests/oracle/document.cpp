// document.cpp - what a document holds, as lines that check.py reads; and copies of it with one
// byte changed, whose checksums are right all the same.
//
//   oracle_document tell DOCUMENT
//   oracle_document page DOCUMENT COPY ID BYTE   a byte of a page of contents, wherever it is used
//   oracle_document value DOCUMENT COPY BYTE     a byte of the values of arguments
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "base/bytes/hash128.hpp"
#include "document/document_writer.hpp"
#include "document/files/input_file.hpp"
#include "document/files/output_file.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_writer.hpp"
#include "reel/trace.hpp"
#include "schema_generated.h"

namespace {

using namespace reel;

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte one : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(one));
  return text.empty() ? "-" : text;
}

std::string hex(const BlobId& id) { return fmt::format("{:016x}{:016x}", id.high, id.low); }

std::uint64_t items_of(const TraceWork& work) {
  const auto count = [](const Dim3& dim) { return std::uint64_t{dim.x} * dim.y * dim.z; };
  if (count(work.items)) return count(work.items);
  return count(work.groups) * std::max<std::uint64_t>(count(work.group_size), 1);
}

void tell(const Trace& trace) {
  for (const TraceBuffer& buffer : trace.buffers())
    fmt::print("buffer {} {}\n", buffer.size_bytes, buffer.memory.address);
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    const bool is_dispatch = work.kind == WorkKind::dispatch && work.kernel != no_index;
    fmt::print("command {} {} {} {} {} {}\n", to_string(work.kind),
               is_dispatch ? trace.kernels()[work.kernel].name : "-", items_of(work),
               work.group_size.x, work.pattern, work.pattern_bytes);
    for (const TraceArgument& argument : trace.arguments(work))
      if (argument.kind == ArgumentKind::buffer)
        fmt::print("range {} {} {} {}\n", to_string(argument.access), argument.buffer,
                   argument.offset_bytes, argument.size_bytes);
      else if (argument.kind == ArgumentKind::indirect)
        fmt::print("indirect {} {}\n", argument.buffer, argument.offset_bytes);
      else if (is_predicate(argument.kind))
        fmt::print("{} {} {}\n", to_string(argument.kind), argument.buffer, argument.offset_bytes);
      else if (argument.kind == ArgumentKind::value)
        fmt::print("value {} {}\n", argument.offset_bytes, hex(trace.value_bytes(argument)));
  }
  for (const TraceContents& row : trace.contents()) {
    const auto pages = trace.pages(row);
    const auto bytes = row.stored ? trace.bytes(row) : std::nullopt;
    fmt::print("contents {} {} {} {} {} {} {}\n", to_string(row.role),
               row.command == no_index ? -1 : static_cast<std::int64_t>(row.command), row.buffer,
               row.offset_bytes, row.size_bytes, pages.size() == 1 ? hex(pages[0]) : "-",
               bytes ? hex(*bytes) : "-");
  }
}

// Copies all of a document; `edit(topic, batch)` may change bytes of a batch where they lie.
template <class Edit, class Add>
void copy(const std::string& from, const std::string& to, Edit&& edit, Add&& add) {
  const InputFile file(from);
  const mcap::Index index = mcap::read_index(file.bytes());
  OutputFile out(to);
  mcap::Writer writer(out, index.header);
  std::unordered_map<std::uint16_t, std::uint16_t> schemas{{0, 0}}, channels;
  std::unordered_map<std::uint16_t, std::string> topics;
  for (const mcap::Schema& schema : index.schemas)
    schemas[schema.id] = writer.add_schema(schema.name, schema.encoding, schema.data);
  for (const mcap::Channel& channel : index.channels) {
    channels[channel.id] = writer.add_channel(channel.topic, channel.message_encoding,
                                              schemas[channel.schema_id], channel.metadata);
    topics[channel.id] = channel.topic;
  }
  for (const mcap::Metadata& metadata : index.metadata)
    if (metadata.name != "reel.end") writer.metadata(metadata);
  for (const mcap::AttachmentRef& blob : index.attachments)
    writer.attachment({blob.log_time, blob.create_time, blob.name, blob.media_type,
                       mcap::attachment_data(file.bytes(), blob)});
  add(writer);
  mcap::ChunkReader reader;
  std::vector<std::uint64_t> memory;
  for (const mcap::ChunkRef& chunk : index.chunks) {
    mcap::for_each_message(file.bytes(), chunk, reader, [&](const mcap::MessageView& message) {
      memory.resize((message.data.size() + 7) / 8);
      std::memcpy(memory.data(), message.data.data(), message.data.size());
      auto* bytes = reinterpret_cast<std::uint8_t*>(memory.data());
      edit(topics[message.channel], const_cast<schema::Batch&>(*schema::GetBatch(bytes)));
      writer.message(channels[message.channel], message.log_time,
                     std::as_bytes(std::span(bytes, message.data.size())));
    });
    writer.flush_chunk();
  }
  for (const mcap::Metadata& metadata : index.metadata)
    if (metadata.name == "reel.end") writer.metadata(metadata);
  writer.close();
  out.close();
}

std::uint8_t* bytes_of(const flatbuffers::Vector<std::uint8_t>& vector) {
  return const_cast<std::uint8_t*>(vector.Data());
}

void change_page(const std::string& from, const std::string& to, const std::string& id,
                 std::size_t byte) {
  const Trace trace = Trace::load(from);
  std::optional<BlobId> found;
  for (const TraceContents& row : trace.contents())
    for (const BlobId& page : trace.pages(row))
      if (hex(page) == id) found = page;
  auto bytes = found ? trace.blob(*found) : std::nullopt;
  if (!bytes || byte >= bytes->size()) throw std::runtime_error("There is no such page.");
  (*bytes)[byte] ^= std::byte{0x10};
  const Hash128 changed = hash128(*bytes);
  const std::uint64_t before[2] = {found->low, found->high}, now[2] = {changed.low, changed.high};
  std::size_t places = 0;
  copy(
      from, to,
      [&](const std::string& topic, const schema::Batch& batch) {
        const auto* pages = topic == "/contents" ? batch.contents()->pages() : nullptr;
        for (std::size_t at = 0; pages && at + 16 <= pages->size(); at += 16)
          if (std::memcmp(bytes_of(*pages) + at, before, 16) == 0) {
            std::memcpy(bytes_of(*pages) + at, now, 16);
            ++places;
          }
      },
      [&](mcap::Writer& writer) {
        if (trace.blob({now[0], now[1]})) return;  // another page has these bytes
        writer.attachment({0, 0, document::blob_name(changed), "application/octet-stream", *bytes});
      });
  if (!places) throw std::runtime_error("The page is named nowhere.");
}

void change_value(const std::string& from, const std::string& to, std::size_t byte) {
  std::size_t passed = 0;
  bool is_changed = false;
  copy(
      from, to,
      [&](const std::string& topic, const schema::Batch& batch) {
        const auto* values = topic == "/works" ? batch.works()->values() : nullptr;
        if (!values) return;
        if (byte >= passed && byte < passed + values->size()) {
          bytes_of(*values)[byte - passed] ^= 0x10;
          is_changed = true;
        }
        passed += values->size();
      },
      [](mcap::Writer&) {});
  if (!is_changed) throw std::runtime_error("There is no such value.");
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string what = count > 2 ? words[1] : "";
    if (what == "tell" && count == 3)
      tell(Trace::load(words[2]));
    else if (what == "page" && count == 6)
      change_page(words[2], words[3], words[4], std::stoull(words[5]));
    else if (what == "value" && count == 5)
      change_value(words[2], words[3], std::stoull(words[4]));
    else
      throw std::runtime_error("Usage: oracle_document tell|page|value DOCUMENT …");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
