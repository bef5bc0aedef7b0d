#include "document/mcap_fixtures.hpp"

#include <fmt/format.h>

#include <fstream>

#include "document/files/input_file.hpp"

namespace reel::test {

Bytes owned_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes read_file(const std::filesystem::path& path) {
  const InputFile file(path);
  return {file.bytes().begin(), file.bytes().end()};
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.flush());
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "reel_test_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_small(mcap::Writer& writer) {
  const auto schema = writer.add_schema("reel.Rows", "flatbuffer", owned_bytes("table Rows {}"));
  const auto commands = writer.add_channel("commands", "flatbuffer", schema, {{"version", "1"}});
  writer.metadata({"device", {{"name", "host"}, {"driver", "reel 0.1"}}});
  writer.message(commands, 100, owned_bytes("first"));
  writer.message(commands, 110, owned_bytes("second"));
  writer.flush_chunk();
  writer.attachment({.log_time = 115,
                     .name = "kernel",
                     .media_type = "text/plain",
                     .data = owned_bytes("__kernel void add() {}")});
  const auto stamps = writer.add_channel("stamps", "", 0);
  writer.message(stamps, 120, owned_bytes(std::string(300, 's')));
  writer.message(commands, 130, owned_bytes("third"));
  writer.flush_chunk();
  writer.attachment(
      {.log_time = 135, .create_time = 1, .name = "page", .media_type = "", .data = {}});
  writer.message(stamps, 105, owned_bytes(""));  // earlier than the chunk before
  writer.flush_chunk();
}

Bytes small_file() {
  return written([](mcap::Writer& writer) {
    write_small(writer);
    writer.close();
  });
}

std::string to_text(const mcap::Index& index, const mcap::MessageView& message) {
  std::string topic = fmt::format("channel {}", message.channel);
  for (const auto& channel : index.channels)
    if (channel.id == message.channel) topic = channel.topic;
  return fmt::format("{} #{} @{}: {}", topic, message.sequence, message.log_time,
                     text_of(message.data));
}

std::vector<std::string> messages(std::span<const std::byte> file, const mcap::Index& index) {
  std::vector<std::string> texts;
  mcap::ChunkReader reader;
  for (const auto& chunk : index.chunks)
    for_each_message(file, chunk, reader, [&](const mcap::MessageView& message) {
      texts.push_back(to_text(index, message));
    });
  return texts;
}

}  // namespace reel::test
