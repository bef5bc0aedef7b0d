#include "document/columns/batch_reader.hpp"

#include <algorithm>
#include <cstring>

#include "document/columns/file_columns.hpp"
#include "graph/commands/text.hpp"

namespace reel::document {

std::string_view BatchReader::known(std::string_view topic) {
  const auto found = std::ranges::find(table_topics, topic);
  return found != table_topics.end() ? *found : std::string_view();
}

void BatchReader::read(std::string_view topic, std::span<const std::byte> message) {
  if (message.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    problems_.left_out(topic, "the batch is larger than any can be");
    return;
  }
  aligned_.resize((message.size() + 7) / 8);
  if (!message.empty()) std::memcpy(aligned_.data(), message.data(), message.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(aligned_.data());
  flatbuffers::Verifier verifier(bytes, message.size());
  if (!schema::VerifyBatchBuffer(verifier)) {
    problems_.left_out(topic, "the batch is not a valid FlatBuffer");
    return;
  }
  read_tables(*schema::GetBatch(bytes));
}

void BatchReader::read_tables(const schema::Batch& batch) {
  const auto read_if_set = [this](const auto* table) {
    if (table) read(*table);
  };
  read_if_set(batch.texts());
  read_if_set(batch.devices());
  read_if_set(batch.streams());
  read_if_set(batch.buffers());
  read_if_set(batch.kernels());
  read_if_set(batch.works());
  read_if_set(batch.commands());
  read_if_set(batch.stamps());
  read_if_set(batch.orders());
  read_if_set(batch.contents());
  read_if_set(batch.calls());
  read_if_set(batch.allocations());
  read_if_set(batch.regions());
  read_if_set(batch.overheads());
  read_if_set(batch.clocks());
  read_if_set(batch.edges());
  read_if_set(batch.notes());
  read_if_set(batch.submissions());
  read_if_set(batch.barriers());
  read_if_set(batch.intervals());
  read_if_set(batch.host_clocks());
}

std::size_t BatchReader::take_rows(std::string_view topic, std::size_t row_bytes,
                                   std::optional<std::size_t> rows, std::uint8_t first_slot,
                                   const flatbuffers::Table& batch) {
  if (!rows) {
    const auto* first =
        batch.GetPointer<const schema::Numbers*>(flatbuffers::FieldIndexToOffset(first_slot));
    problems_.left_out(topic, "the columns of the batch don't fit each other",
                       std::max<std::size_t>(rows_of(first), 1));
    return 0;
  }
  return pay(topic, std::uint64_t{*rows} * row_bytes, *rows) ? *rows : 0;
}

bool BatchReader::pay(std::string_view table, std::uint64_t bytes, std::uint64_t rows) {
  if (budget_.take(bytes)) return true;
  problems_.left_out(table, "there are more than a file of this size can hold", rows);
  return false;
}

std::string BatchReader::text(std::string_view table, const flatbuffers::String* text) {
  if (!text || text->size() == 0 || !pay(table, text->size())) return {};
  return valid_utf8(text->string_view());
}

}  // namespace reel::document
