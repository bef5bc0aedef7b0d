// raw_document.hpp - a document whose batches are built by hand: what no writer of ours would
// write.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "document/columns/batches.hpp"
#include "document/columns/embedded_schema.hpp"
#include "document/columns/numbers.hpp"
#include "document/mcap/mcap_writer.hpp"

namespace reel::test {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

inline Offset<schema::Numbers> numbers(FlatBufferBuilder& builder,
                                       const std::vector<std::uint64_t>& values) {
  return document::encode(builder, values);
}

class RawDocument {
 public:
  explicit RawDocument(const std::string& path, const mcap::StringMap& facts = {{"format", "1"}},
                       const std::string& profile = "reel")
      : file_(path), writer_(file_, {profile, "by hand"}) {
    schema_ = writer_.add_schema("reel.schema.Batch", "flatbuffer", document::embedded_schema());
    if (!facts.empty()) writer_.metadata({"reel", facts});
  }

  // A batch that `fill` makes. It sets fields of the BatchBuilder from offsets it made before.
  void batch(const std::string& topic,
             const std::function<Offset<schema::Batch>(FlatBufferBuilder&)>& fill) {
    FlatBufferBuilder builder;
    builder.Finish(fill(builder));
    message(topic, std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
  }
  // A batch of one table of columns: `create` makes the table, `add` puts it in the batch.
  template <class Create, class Table>
  void table(const std::string& topic, void (schema::BatchBuilder::*add)(Offset<Table>),
             Create&& create) {
    batch(topic, [&](FlatBufferBuilder& builder) {
      const Offset<Table> table = create(builder);
      schema::BatchBuilder batch(builder);
      (batch.*add)(table);
      return batch.Finish();
    });
  }
  void message(const std::string& topic, std::span<const std::byte> bytes,
               const std::string& encoding = "flatbuffer") {
    auto channel = channels_.find(topic);
    if (channel == channels_.end())
      channel = channels_.emplace(topic, writer_.add_channel(topic, encoding, schema_)).first;
    writer_.message(channel->second, 0, bytes);
  }
  // Rows as our own writer has them.
  void rows(const std::function<void(document::Batches&)>& fill) {
    document::Batches batches;
    fill(batches);
    for (std::size_t i = 0; i < document::table_count; ++i)
      if (const auto table = static_cast<document::TableId>(i); batches.rows(table) > 0)
        message(document::table_topics[i], batches.take(table));
  }
  void close() {
    writer_.metadata({"reel.end", {}});
    writer_.close();
  }
  mcap::Writer& writer() { return writer_; }

 private:
  OutputFile file_;
  mcap::Writer writer_;
  std::uint16_t schema_ = 0;
  std::map<std::string, std::uint16_t> channels_;
};

}  // namespace reel::test
