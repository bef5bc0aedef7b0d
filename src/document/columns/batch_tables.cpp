// The tables of a document whose rows are numbers in columns.
#include "document/columns/batch_reader.hpp"

namespace reel::document {
namespace {

constexpr std::string_view no_such_number = "a number is not one that may stand there";
constexpr std::string_view newer = "the kind is not known to this version";

}  // namespace

void BatchReader::read(const schema::Commands& batch) {
  constexpr std::string_view commands = "/commands";
  // What it may take at worst, with all that is asked of it; most take a fifth.
  constexpr std::size_t row_bytes =
      sizeof(TraceCommand) + sizeof(std::uint32_t) + sizeof(TraceCall);
  const auto [id, work, stream, launch, node, thread, begin, ns] =
      decode_apart<columns::commands>(commands, row_bytes, batch);
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (columns_.is_wrong(i)) {
      problems_.left_out(commands, no_such_number);
      continue;
    }
    if (tables_.totals) {
      tables_.totals->add_command(id[i], work[i], stream[i], launch[i], begin[i], begin[i] + ns[i]);
      continue;
    }
    const std::size_t place = tables_.commands.size();
    tables_.commands_are_in_place &= id[i] == place;
    tables_.commands.add(id[i] - place, work[i], stream[i], launch[i], node[i], thread[i], begin[i],
                         ns[i]);
  }
}

void BatchReader::read(const schema::Stamps& batch) {
  constexpr std::string_view stamps = "/stamps";
  constexpr std::size_t stamp_bytes = 40;  // at worst
  const auto [command, known, queued, submitted, started, ended] =
      decode_apart<columns::stamps>(stamps, stamp_bytes, batch);
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (columns_.is_wrong(i)) {
      problems_.left_out(stamps, no_such_number);
      continue;
    }
    if (tables_.totals) {
      const std::uint64_t submitted_ns = queued[i] + submitted[i],
                          started_ns = submitted_ns + started[i];
      tables_.totals->add_stamp(command[i], known[i], queued[i], submitted_ns, started_ns,
                                started_ns + ended[i]);
      continue;
    }
    const std::size_t place = tables_.stamps.size();
    tables_.stamps_are_in_place &= command[i] == place;
    tables_.stamps.add(command[i] - place, known[i] & 15, queued[i], submitted[i], started[i],
                       ended[i]);
  }
}

template <const auto& columns, class Row, class Right>
void BatchReader::read_rows(std::string_view topic, const auto& batch, std::vector<Row>& into,
                            Right&& is_right) {
  const std::size_t rows = decode<columns>(topic, sizeof(Row), batch);
  for (std::size_t i = 0; i < rows; ++i) {
    bool is_known = true;
    for_each_column<columns>([&](auto c) { is_known &= columns_[c][i] <= columns[c].most; });
    Row row{};
    set<columns>(row, columns_, i);
    if (!is_known)
      problems_.left_out(topic, newer);
    else if (columns_.is_wrong(i) || !is_right(row))
      problems_.left_out(topic, no_such_number);
    else
      into.push_back(row);
  }
}

namespace {
constexpr auto any = [](const auto&) { return true; };
}

void BatchReader::read(const schema::Orders& batch) {
  std::vector<OrderRow> rows;
  read_rows<columns::orders>("/orders", batch, rows, any);
  for (const OrderRow& row : rows)
    tables_.rows.orders.push_back({row.command, row.after, row.kind, row.stages});
}

void BatchReader::read(const schema::Calls& batch) {
  read_rows<columns::calls>("/calls", batch, tables_.rows.calls, any);
}
void BatchReader::read(const schema::Allocations& batch) {
  read_rows<columns::allocations>("/allocations", batch, tables_.allocations, any);
}
void BatchReader::read(const schema::Regions& batch) {
  read_rows<columns::regions>("/regions", batch, tables_.rows.regions, any);
}
void BatchReader::read(const schema::Overheads& batch) {
  read_rows<columns::overheads>("/overheads", batch, tables_.rows.overheads, any);
}
void BatchReader::read(const schema::Clocks& batch) {
  read_rows<columns::clocks>("/clocks", batch, tables_.clocks, any);
}
void BatchReader::read(const schema::Edges& batch) {
  read_rows<columns::edges>("/edges", batch, tables_.rows.edges,
                            [](const TraceEdge& edge) { return edge.from != edge.to; });
}

void BatchReader::read(const schema::Submissions& batch) {
  read_rows<columns::submissions>("/submissions", batch, tables_.rows.submissions, any);
}
void BatchReader::read(const schema::Barriers& batch) {
  read_rows<columns::barriers>("/barriers", batch, tables_.rows.barriers, any);
}
void BatchReader::read(const schema::Intervals& batch) {
  read_rows<columns::intervals>("/intervals", batch, tables_.rows.intervals, any);
}
void BatchReader::read(const schema::HostClocks& batch) {
  read_rows<columns::host_clocks>("/host_clocks", batch, tables_.rows.clocks, any);
}

}  // namespace reel::document
