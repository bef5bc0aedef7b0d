// container_fuzz.cpp - any bytes as an MCAP file.
//
// Read to the last message, then recovered: what comes out of that must be whole, with as many
// messages as the report says.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "document/files/input_file.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_recover.hpp"
#include "fuzz/target.hpp"
#include "reel/error.hpp"

namespace reel {
namespace {

// In memory, and gone with this process.
const std::filesystem::path& scratch_path() {
  struct Scratch {
    std::filesystem::path path = "/dev/shm/reel_container_fuzz_" + std::to_string(::getpid());
    ~Scratch() { ::unlink(path.c_str()); }
  };
  static const Scratch scratch;
  return scratch.path;
}

std::uint64_t read_messages(std::span<const std::byte> file, const mcap::Index& index) {
  static mcap::ChunkReader reader;
  std::uint64_t count = 0;
  for (const auto& chunk : index.chunks)
    for_each_message(file, chunk, reader, [&](const mcap::MessageView& message) {
      check(message.data.size() <= mcap::max_chunk_bytes,
            "a message is larger than a chunk may be");
      ++count;
    });
  for (const auto& attachment : index.attachments) {
    attachment_is_whole(file, attachment);
    check(attachment_data(file, attachment).size() <= file.size(),
          "an attachment is larger than the file");
  }
  return count;
}

void check_recovered(std::span<const std::byte> file) {
  OutputFile out(scratch_path(), {.overwrite = true});
  const auto report = mcap::recover(file, out);
  out.close();
  const InputFile recovered(scratch_path());
  const auto index = mcap::read_index(recovered.bytes());
  check(index.complete, "a recovered file is not whole");
  check(read_messages(recovered.bytes(), index) == report.messages,
        "messages were lost in recovery");
}

}  // namespace

void fuzz_one(std::span<const std::byte> file) {
  try {
    const auto index = mcap::read_index(file);
    check(index.complete == !index.damage, "a file is both whole and damaged, or neither");
    read_messages(file, index);
  } catch (const Error& error) {
    check(error.code() == Code::damaged_document, error.what());
    return;
  }
  check_recovered(file);
}

}  // namespace reel
