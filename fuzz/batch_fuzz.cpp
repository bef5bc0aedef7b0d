// batch_fuzz.cpp - any bytes as the batches of a document that is whole as a file.
//
// Checksums keep trace_fuzz from ever changing a row; here it changes nothing else. The input is a
// list of messages: a byte for the table, two for the length, and the message.
#include "document/columns/batches.hpp"
#include "document/mcap/byte_cursor.hpp"
#include "document/mcap/mcap_writer.hpp"
#include "fuzz/trace_checks.hpp"

namespace reel {

void fuzz_one(std::span<const std::byte> input) {
  {
    OutputFile file(scratch_path(), {.overwrite = true});
    mcap::Writer writer(file, {"reel", "fuzz"}, {.zstd_level = -50});
    writer.metadata({"reel", {{"format", "1"}}});
    for (const char* topic : document::table_topics) writer.add_channel(topic, "flatbuffer", 0);
    writer.attachment({0, 0, "xxh3:00000000000000000000000000000000", "application/zstd", input});
    mcap::ByteCursor messages(input);
    while (!messages.rest().empty()) {
      const std::size_t table = messages.u8() % document::table_count;
      const std::size_t length = messages.u16();
      const auto message = messages.bytes(std::min(length, messages.rest().size()));
      writer.message(static_cast<std::uint16_t>(table + 1), 0, message);
    }
    writer.close();
    file.close();
  }
  check_scratch();
}

}  // namespace reel
