// write_files <folder> - files for the oracle: a whole one, one that was cut off, and what could be
// recovered from that.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "document/files/input_file.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_recover.hpp"
#include "document/mcap/mcap_writer.hpp"

namespace reel {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

void write_whole(const std::filesystem::path& path) {
  OutputFile file(path, {.overwrite = true});
  mcap::Writer writer(file, {.profile = "reel", .library = "reel tests"},
                      {.chunk_bytes = 16 << 10});
  const auto schema = writer.add_schema("reel.Commands", "flatbuffer", bytes_of("a schema"));
  const auto commands = writer.add_channel("commands", "flatbuffer", schema, {{"columns", "12"}});
  const auto notes = writer.add_channel("notes", "json", 0);
  writer.metadata({"device", {{"name", "host"}, {"vendor", "Größe \u2713"}}});
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    writer.message(commands, 1'000 + i, bytes_of("command " + std::to_string(i * i * 7919)));
    if (i % 100 == 0) writer.message(notes, 999 + i, bytes_of("{}"));
    if (i == 500)
      writer.attachment({.log_time = i,
                         .name = "add.cl",
                         .media_type = "text/plain",
                         .data = bytes_of("__kernel void add() {}")});
  }
  const std::vector<std::byte> page(1 << 20, std::byte{7});
  writer.attachment(
      {.log_time = 3'000, .name = "page", .media_type = "application/octet-stream", .data = page});
  writer.close();
  file.close();
}

void write_all(const std::filesystem::path& folder) {
  write_whole(folder / "whole.reel");
  const InputFile whole(folder / "whole.reel");
  // Within the third chunk.
  const auto chunk = mcap::read_index(whole.bytes()).chunks.at(2);
  const auto cut = whole.bytes().first(chunk.data_offset + chunk.data_bytes / 2);
  OutputFile cut_file(folder / "cut.reel", {.overwrite = true});
  cut_file.write(cut);
  cut_file.close();
  OutputFile recovered(folder / "recovered.reel", {.overwrite = true});
  mcap::recover(cut, recovered);
  recovered.close();
}

}  // namespace
}  // namespace reel

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("Usage: write_files <folder>\n", stderr), 2;
  reel::write_all(argv[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_files: %s\n", error.what());
  return 1;
}
