// container_corpus.cpp <folder> - writes what fuzz/corpus/container began with: small files of
// every kind of record, whole and broken. Inputs that libFuzzer found are kept beside them.
#include <cstdio>
#include <exception>

#include "document/files/input_file.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_writer.hpp"

namespace reel {
namespace {

using Bytes = std::vector<std::byte>;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class Corpus {
 public:
  explicit Corpus(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const char* name, std::span<const std::byte> bytes) const {
    OutputFile file(folder_ / name, {.overwrite = true});
    file.write(bytes);
    file.close();
  }
  Bytes written() const {
    OutputFile file(folder_ / "whole", {.overwrite = true});
    mcap::Writer writer(file, {.profile = "reel", .library = "fuzz"});
    const auto schema = writer.add_schema("Rows", "flatbuffer", bytes_of("table Rows {}"));
    const auto rows = writer.add_channel("rows", "flatbuffer", schema, {{"version", "1"}});
    writer.metadata({"device", {{"name", "host"}}});
    for (std::uint64_t i = 0; i < 3; ++i) writer.message(rows, i, bytes_of("some rows"));
    writer.flush_chunk();
    writer.attachment({.log_time = 3,
                       .name = "add.cl",
                       .media_type = "text/plain",
                       .data = bytes_of("__kernel void add() {}")});
    writer.message(writer.add_channel("notes", "json", 0), 4, bytes_of("{}"));
    writer.close();
    file.close();
    const InputFile whole(folder_ / "whole");
    return {whole.bytes().begin(), whole.bytes().end()};
  }

 private:
  std::filesystem::path folder_;
};

// A chunk that is not compressed, without a checksum: mutations get at the records inside.
Bytes plain_chunk() {
  mcap::RecordBuffer records;
  for (std::uint64_t i = 0; i < 2; ++i)
    records.record(mcap::Opcode::message, [&] {
      records.u16(1), records.u32(0), records.u64(i), records.u64(i);
      records.bytes(bytes_of("rows"));
    });
  mcap::RecordBuffer out;
  out.bytes(mcap::magic);
  mcap::append_header(out, {"reel", "fuzz"});
  mcap::append_channel(out, {.id = 1, .topic = "t", .message_encoding = "", .metadata = {}});
  out.record(mcap::Opcode::chunk, [&] {
    mcap::append_chunk_fields(out, {.compressed_bytes = records.size(),
                                    .uncompressed_bytes = records.size(),
                                    .compression = ""});
    out.bytes(records.view());
  });
  out.record(static_cast<mcap::Opcode>(0x80), [&] { out.text("unknown"); });
  mcap::DataChecks checks;
  checks.add(out.view());
  mcap::Summary().append_end(out, out.size(), checks);
  return {out.view().begin(), out.view().end()};
}

Bytes changed(Bytes bytes, std::uint64_t at) {
  bytes.at(at) ^= std::byte{0x10};
  return bytes;
}

void write_all(const Corpus& corpus) {
  const Bytes whole = corpus.written();
  const auto index = mcap::read_index(whole);
  const auto& chunk = index.chunks.at(0);
  const std::span<const std::byte> bytes(whole);
  corpus.add("plain_chunk", plain_chunk());
  corpus.add("only_magic", bytes.first(mcap::magic.size()));
  corpus.add("cut_in_magic", bytes.first(5));
  corpus.add("cut_in_chunk", bytes.first(chunk.data_offset + 10));
  corpus.add("cut_before_end", bytes.first(index.attachments.at(0).offset));
  corpus.add("cut_in_footer", bytes.first(bytes.size() - 12));
  corpus.add("broken_chunk", changed(whole, chunk.data_offset + 12));
  corpus.add("broken_chunk_length", changed(whole, chunk.offset + 8));
  corpus.add("broken_chunk_size", changed(whole, chunk.offset + 9 + 16 + 3));
  corpus.add("broken_attachment", changed(whole, index.attachments.at(0).data_offset));
  corpus.add("broken_summary", changed(whole, whole.size() - 60));
  corpus.add("no_mcap", bytes_of("%PDF-1.4"));
}

}  // namespace
}  // namespace reel

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("Usage: container_corpus <folder>\n", stderr), 2;
  reel::write_all(reel::Corpus(argv[1]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "container_corpus: %s\n", error.what());
  return 1;
}
