// The tables of a document whose rows are numbers in columns.
#include <limits>

#include "document/columns/batch_reader.hpp"

namespace reel::document {
namespace {

constexpr std::string_view no_such_number = "a number is not one that may stand there";
constexpr std::string_view newer = "the kind is not known to this version";

template <class... N>
bool fit_32(N... numbers) {
  return ((numbers | ...) >> 32) == 0;
}

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
  const std::size_t rows = decode(commands, row_bytes,
                                  {{batch.id()},
                                   {batch.work(), no_index},
                                   {batch.stream(), no_index},
                                   {batch.launch(), no_index},
                                   {batch.node(), no_index},
                                   {batch.thread()},
                                   {batch.call_begin_ns()},
                                   {batch.call_ns()}});
  const auto &id = columns_[0], &work = columns_[1], &stream = columns_[2], &launch = columns_[3],
             &node = columns_[4], &thread = columns_[5], &begin = columns_[6], &ns = columns_[7];
  for (std::size_t i = 0; i < rows; ++i) {
    if (!fit_32(id[i], work[i], stream[i], launch[i], node[i], thread[i])) {
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
  const std::size_t rows = decode(stamps, stamp_bytes,
                                  {{batch.command(), no_index},
                                   {batch.known()},
                                   {batch.queued_ns()},
                                   {batch.submitted_ns()},
                                   {batch.started_ns()},
                                   {batch.ended_ns()}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (!fit_32(columns_[0][i], columns_[1][i])) {
      problems_.left_out(stamps, no_such_number);
      continue;
    }
    if (tables_.totals) {
      const std::uint64_t queued = columns_[2][i], submitted = queued + columns_[3][i],
                          started = submitted + columns_[4][i], ended = started + columns_[5][i];
      tables_.totals->add_stamp(columns_[0][i], columns_[1][i], queued, submitted, started, ended);
      continue;
    }
    const std::size_t place = tables_.stamps.size();
    tables_.stamps_are_in_place &= columns_[0][i] == place;
    tables_.stamps.add(columns_[0][i] - place, columns_[1][i] & 15, columns_[2][i], columns_[3][i],
                       columns_[4][i], columns_[5][i]);
  }
}

void BatchReader::read(const schema::Orders& batch) {
  const std::size_t rows = decode("/orders", sizeof(TraceOrder),
                                  {{batch.command(), no_index}, {batch.after(), no_index}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (fit_32(columns_[0][i], columns_[1][i]))
      tables_.rows.orders.push_back({low(columns_[0][i]), low(columns_[1][i])});
    else
      problems_.left_out("/orders", no_such_number);
  }
}

void BatchReader::read(const schema::Calls& batch) {
  const std::size_t rows = decode("/calls", sizeof(TraceCall),
                                  {{batch.name()},
                                   {batch.thread()},
                                   {batch.begin_ns()},
                                   {batch.ns()},
                                   {batch.command(), no_index}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (fit_32(columns_[0][i], columns_[1][i], columns_[4][i]))
      tables_.rows.calls.push_back({low(columns_[0][i]), low(columns_[1][i]), columns_[2][i],
                                    end_of(columns_[2][i], columns_[3][i]), low(columns_[4][i])});
    else
      problems_.left_out("/calls", no_such_number);
  }
}

void BatchReader::read(const schema::Allocations& batch) {
  const std::size_t rows = decode("/allocations", sizeof(RawAllocation),
                                  {{batch.kind()}, {batch.buffer(), no_index}, {batch.time_ns()}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (columns_[0][i] > 1)
      problems_.left_out("/allocations", newer);
    else if (!fit_32(columns_[1][i]))
      problems_.left_out("/allocations", no_such_number);
    else
      tables_.allocations.push_back(
          {static_cast<std::uint8_t>(columns_[0][i]), low(columns_[1][i]), columns_[2][i]});
  }
}

void BatchReader::read(const schema::Regions& batch) {
  const std::size_t rows = decode("/regions", sizeof(TraceRegion),
                                  {{batch.kind()},
                                   {batch.number()},
                                   {batch.name()},
                                   {batch.thread()},
                                   {batch.begin_ns()},
                                   {batch.ns()}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (columns_[0][i] > static_cast<std::uint64_t>(TraceRegion::Kind::named))
      problems_.left_out("/regions", newer);
    else if (!fit_32(columns_[1][i], columns_[2][i], columns_[3][i]))
      problems_.left_out("/regions", no_such_number);
    else
      tables_.rows.regions.push_back({static_cast<TraceRegion::Kind>(columns_[0][i]),
                                      low(columns_[1][i]), low(columns_[2][i]), low(columns_[3][i]),
                                      columns_[4][i], end_of(columns_[4][i], columns_[5][i])});
  }
}

void BatchReader::read(const schema::Overheads& batch) {
  const std::size_t rows =
      decode("/overheads", sizeof(TraceOverhead),
             {{batch.kind()}, {batch.thread()}, {batch.begin_ns()}, {batch.ns()}, {batch.bytes()}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (columns_[0][i] > static_cast<std::uint64_t>(OverheadKind::commands))
      problems_.left_out("/overheads", newer);
    else if (!fit_32(columns_[1][i]))
      problems_.left_out("/overheads", no_such_number);
    else
      tables_.rows.overheads.push_back({static_cast<OverheadKind>(columns_[0][i]),
                                        low(columns_[1][i]), columns_[2][i],
                                        end_of(columns_[2][i], columns_[3][i]), columns_[4][i]});
  }
}

void BatchReader::read(const schema::Clocks& batch) {
  const std::size_t rows = decode(
      "/clocks", sizeof(RawClock),
      {{batch.device(), no_index}, {batch.host_ns()}, {batch.device_ns()}, {batch.error_ns()}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (fit_32(columns_[0][i]))
      tables_.clocks.push_back(
          {low(columns_[0][i]), columns_[1][i], columns_[2][i], columns_[3][i]});
    else
      problems_.left_out("/clocks", no_such_number);
  }
}

void BatchReader::read(const schema::Edges& batch) {
  const std::size_t rows = decode("/edges", sizeof(TraceEdge),
                                  {{batch.graph(), no_index},
                                   {batch.from(), no_index},
                                   {batch.to(), no_index},
                                   {batch.kind()}});
  for (std::size_t i = 0; i < rows; ++i) {
    if (columns_[3][i] > 2)
      problems_.left_out("/edges", newer);
    else if (!fit_32(columns_[0][i], columns_[1][i], columns_[2][i]) ||
             columns_[1][i] == columns_[2][i])
      problems_.left_out("/edges", no_such_number);
    else
      tables_.rows.edges.push_back({low(columns_[0][i]), low(columns_[1][i]), low(columns_[2][i]),
                                    static_cast<std::uint8_t>(columns_[3][i])});
  }
}

}  // namespace reel::document
