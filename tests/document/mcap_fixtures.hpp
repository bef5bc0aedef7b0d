// mcap_fixtures.hpp - small MCAP files, whole and broken, and what is in them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_writer.hpp"

namespace reel::test {

using Bytes = std::vector<std::byte>;

Bytes owned_bytes(std::string_view text);
std::string text_of(std::span<const std::byte> bytes);
Bytes read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// A folder of its own, removed with everything in it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// The bytes of a file that `write(Writer&)` writes to; not closed unless it does so.
template <class Write>
Bytes written(Write&& write, const mcap::WriterOptions& options = {}) {
  const Folder folder;
  OutputFile file(folder / "file.reel");
  {
    mcap::Writer writer(file, {.profile = "reel", .library = "tests"}, options);
    write(writer);
  }
  return read_file(folder / "file.reel");
}

// A schema, two channels, three chunks, two attachments, one metadata; some 1.5 KB.
void write_small(mcap::Writer& writer);
Bytes small_file();  // the same, closed

// A message as text: "topic #sequence @time: data".
std::string to_text(const mcap::Index& index, const mcap::MessageView& message);
// All messages of all chunks that can be read, in order of the file.
std::vector<std::string> messages(std::span<const std::byte> file, const mcap::Index& index);
inline std::vector<std::string> messages(std::span<const std::byte> file) {
  return messages(file, mcap::read_index(file));
}

}  // namespace reel::test
