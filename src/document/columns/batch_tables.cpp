// The tables of a document whose rows are numbers in columns.
#include <limits>

#include "document/columns/batch_reader.hpp"

namespace reel::document {
namespace {

constexpr std::string_view no_such_number = "a number is not one that may stand there";
constexpr std::string_view newer = "the kind is not known to this version";

std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

// The end of a span of time; a length that leads past the end of time is cut.
std::uint64_t end_of(std::uint64_t begin_ns, std::uint64_t ns) {
  return ns > std::numeric_limits<std::uint64_t>::max() - begin_ns
             ? std::numeric_limits<std::uint64_t>::max()
             : begin_ns + ns;
}

}  // namespace

void BatchReader::read(const schema::Commands& batch) {
  constexpr std::string_view commands = "/commands";
  // What it may take at worst, with all that is asked of it; most take a fifth.
  constexpr std::size_t row_bytes =
      sizeof(TraceCommand) + sizeof(std::uint32_t) + sizeof(TraceCall);
  const auto [id, work, stream, launch, node, thread, begin, ns] =
      decode<columns::commands>(commands, row_bytes, batch);
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (columns_.is_wrong(i)) {
      problems_.left_out(commands, no_such_number);
      continue;
    }
    const std::uint64_t call_end = end_of(begin[i], ns[i]);
    if (tables_.totals) {
      tables_.totals->add_command(id[i], work[i], stream[i], launch[i], begin[i], call_end);
      continue;
    }
    const std::size_t place = tables_.commands.size();
    tables_.commands_are_in_place &= id[i] == place;
    tables_.commands.add(id[i] - place, work[i], stream[i], launch[i], node[i], thread[i], begin[i],
                         call_end - begin[i]);
  }
}

void BatchReader::read(const schema::Stamps& batch) {
  constexpr std::string_view stamps = "/stamps";
  constexpr std::size_t stamp_bytes = 40;  // at worst
  const auto [command, known, queued, submitted, started, ended] =
      decode<columns::stamps>(stamps, stamp_bytes, batch);
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

void BatchReader::read(const schema::Orders& batch) {
  const auto [command, stream, after] =
      decode<columns::orders>("/orders", sizeof(TraceOrder), batch);
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (columns_.is_wrong(i))
      problems_.left_out("/orders", no_such_number);
    else
      tables_.rows.orders.push_back({low(command[i]), low(after[i])});
  }
}

void BatchReader::read(const schema::Calls& batch) {
  const auto [name, thread, begin, ns, command] =
      decode<columns::calls>("/calls", sizeof(TraceCall), batch);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (columns_.is_wrong(i))
      problems_.left_out("/calls", no_such_number);
    else
      tables_.rows.calls.push_back(
          {low(name[i]), low(thread[i]), begin[i], end_of(begin[i], ns[i]), low(command[i])});
  }
}

void BatchReader::read(const schema::Allocations& batch) {
  const auto [kind, buffer, time] =
      decode<columns::allocations>("/allocations", sizeof(RawAllocation), batch);
  for (std::size_t i = 0; i < kind.size(); ++i) {
    if (kind[i] > 1)
      problems_.left_out("/allocations", newer);
    else if (columns_.is_wrong(i))
      problems_.left_out("/allocations", no_such_number);
    else
      tables_.allocations.push_back({static_cast<std::uint8_t>(kind[i]), low(buffer[i]), time[i]});
  }
}

void BatchReader::read(const schema::Regions& batch) {
  const auto [kind, number, name, thread, begin, ns] =
      decode<columns::regions>("/regions", sizeof(TraceRegion), batch);
  for (std::size_t i = 0; i < kind.size(); ++i) {
    if (kind[i] > static_cast<std::uint64_t>(TraceRegion::Kind::named))
      problems_.left_out("/regions", newer);
    else if (columns_.is_wrong(i))
      problems_.left_out("/regions", no_such_number);
    else
      tables_.rows.regions.push_back({static_cast<TraceRegion::Kind>(kind[i]), low(number[i]),
                                      low(name[i]), low(thread[i]), begin[i],
                                      end_of(begin[i], ns[i])});
  }
}

void BatchReader::read(const schema::Overheads& batch) {
  const auto [kind, thread, begin, ns, bytes] =
      decode<columns::overheads>("/overheads", sizeof(TraceOverhead), batch);
  for (std::size_t i = 0; i < kind.size(); ++i) {
    if (kind[i] >= overhead_kinds)
      problems_.left_out("/overheads", newer);
    else if (columns_.is_wrong(i))
      problems_.left_out("/overheads", no_such_number);
    else
      tables_.rows.overheads.push_back({static_cast<OverheadKind>(kind[i]), low(thread[i]),
                                        begin[i], end_of(begin[i], ns[i]), bytes[i]});
  }
}

void BatchReader::read(const schema::Clocks& batch) {
  const auto [device, host, on_device, error] =
      decode<columns::clocks>("/clocks", sizeof(RawClock), batch);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (columns_.is_wrong(i))
      problems_.left_out("/clocks", no_such_number);
    else
      tables_.clocks.push_back({low(device[i]), host[i], on_device[i], error[i]});
  }
}

void BatchReader::read(const schema::Edges& batch) {
  const auto [graph, from, to, kind] = decode<columns::edges>("/edges", sizeof(TraceEdge), batch);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (kind[i] > 2)
      problems_.left_out("/edges", newer);
    else if (columns_.is_wrong(i) || from[i] == to[i])
      problems_.left_out("/edges", no_such_number);
    else
      tables_.rows.edges.push_back(
          {low(graph[i]), low(from[i]), low(to[i]), static_cast<std::uint8_t>(kind[i])});
  }
}

void BatchReader::read(const schema::Submissions& batch) {
  const auto [first, count, stream, call] =
      decode<columns::submissions>("/submissions", sizeof(TraceSubmission), batch);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (columns_.is_wrong(i))
      problems_.left_out("/submissions", no_such_number);
    else
      tables_.rows.submissions.push_back(
          {low(first[i]), low(count[i]), low(stream[i]), low(call[i])});
  }
}

void BatchReader::read(const schema::Barriers& batch) {
  const auto [command, source_stages, target_stages, source_accesses, target_accesses, buffer,
              offset, size, old_layout, new_layout, source_family, target_family] =
      decode<columns::barriers>("/barriers", sizeof(TraceBarrier), batch);
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (columns_.is_wrong(i))
      problems_.left_out("/barriers", no_such_number);
    else
      tables_.rows.barriers.push_back({low(command[i]), source_stages[i], target_stages[i],
                                       source_accesses[i], target_accesses[i], low(buffer[i]),
                                       offset[i], size[i], low(old_layout[i]), low(new_layout[i]),
                                       low(source_family[i]), low(target_family[i])});
  }
}

}  // namespace reel::document
