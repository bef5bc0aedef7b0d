#include "analysis/made_document.hpp"

#include <cmath>
#include <stdexcept>

namespace reel::test {

using namespace document;

std::uint64_t at_us(double us) {
  return sample_start_ns + static_cast<std::uint64_t>(std::llround(us * 1000));
}

namespace {

Facts with_own(Facts facts) {
  facts.insert({{"format", "1"}, {"program", "made"}});
  return facts;
}

}  // namespace

MadeDocument::MadeDocument(std::uint32_t units, const Facts& facts, const std::string& backend)
    : writer_(std::make_unique<DocumentWriter>(folder_ / "made.reel", with_own(facts))) {
  writer_->add(
      DeviceRow{0, backend, backend, "Test", "cpu", "reel", "1", "", 1u << 30, units, true, 1});
  writer_->add(ClockRow{0, sample_start_ns, sample_start_ns, 0});
  stream();
}

MadeDocument::~MadeDocument() = default;

std::uint32_t MadeDocument::stream(std::uint32_t device) {
  writer_->add(StreamRow{streams_, device, ""});
  return streams_++;
}

std::uint32_t MadeDocument::queue() {
  StreamRow row{streams_, 0, ""};
  row.ordered = false;
  writer_->add(row);
  return streams_++;
}

std::uint32_t MadeDocument::barrier(std::uint32_t queue, std::vector<TraceBarrier> rows) {
  const std::uint32_t command = add({.kind = WorkKind::barrier, .stream = queue});
  for (TraceBarrier& row : rows) {
    row.command = command;
    writer_->add(row);
  }
  return command;
}

std::uint32_t MadeDocument::device() {
  writer_->add(
      DeviceRow{devices_, "other", "host", "Other", "cpu", "reel", "1", "", 1u << 30, 2, true, 1});
  writer_->add(ClockRow{devices_, sample_start_ns, sample_start_ns, 0});
  return devices_++;
}

void MadeDocument::device_clock_error(double us) {
  // A second look, long after, that doesn't agree with the first: of those that do, the best
  // counts.
  const std::uint64_t later = sample_start_ns + 1'000'000'000'000;
  const auto error = static_cast<std::uint64_t>(us * 1000);
  writer_->add(ClockRow{0, later, later + error + 1, error});
}

std::uint32_t MadeDocument::buffer(const MadeBuffer& buffer) {
  const auto id = static_cast<std::uint32_t>(sizes_.size());
  BufferRow row{id, 0, buffer.size, buffer.label};
  row.starts_undefined = buffer.undefined;
  row.memory = buffer.memory;
  writer_->add(row);
  if (buffer.allocated) writer_->add(AllocationRow{false, id, at_us(*buffer.allocated)});
  if (buffer.freed) writer_->add(AllocationRow{true, id, at_us(*buffer.freed)});
  sizes_.push_back(buffer.size);
  return id;
}

std::uint32_t MadeDocument::kernel(const std::string& name, const std::string& text) {
  KernelRow row{};
  row.id = kernels_;
  row.name = row.entry = name;
  row.built_form = KernelForm::opencl_c;
  const auto bytes = bytes_of(text);
  row.variants = {{KernelForm::opencl_c, {bytes.begin(), bytes.end()}}};
  row.group_size = {64, 1, 1};
  for (int i = 0; i < 8; ++i)
    row.parameters.push_back({.name = "p" + std::to_string(i),
                              .kind = ArgumentKind::buffer,
                              .access = Access::read_write,
                              .element = ElementType::f32});
  writer_->add(row);
  return kernels_++;
}

std::uint32_t MadeDocument::add(const MadeCommand& command) {
  std::vector<TraceArgument> arguments;
  const auto give = [&](const std::vector<MadeRange>& ranges, Access access) {
    for (const MadeRange& range : ranges)
      arguments.push_back({ArgumentKind::buffer, access, range.buffer, range.offset,
                           range.size ? range.size : sizes_[range.buffer] - range.offset});
  };
  give(command.reads, Access::read);
  give(command.writes, Access::write);
  give(command.changes, Access::read_write);
  if (command.run_if)
    arguments.push_back({ArgumentKind::run_if, Access::read, command.run_if->buffer,
                         command.run_if->offset, command.run_if->size});
  WorkRow work;
  work.kind = command.kind;
  (command.kind == WorkKind::launch ? work.graph : work.kernel) =
      command.kind == WorkKind::launch ? command.graph : command.kernel;
  work.label = writer_->text(command.label);
  work.scope = writer_->text(command.scope);
  if (command.kind == WorkKind::dispatch) {
    work.groups = {command.groups, 1, 1};
    work.group_size = {command.group_size, 1, 1};
  }
  if (command.kind == WorkKind::fill) work.pattern_bytes = 4;
  work.arguments = arguments;
  const std::uint32_t number = number_of(work);
  const Span call = command.call.value_or(Span{command.run.begin - 1, command.run.begin});
  const bool has_call = call.begin != call.end;
  writer_->add(CommandRow{.id = commands_,
                          .work = number,
                          .stream = command.stream,
                          .launch = command.launch,
                          .node = command.node,
                          .thread = command.thread,
                          .call_begin_ns = has_call ? at_us(call.begin) : 0,
                          .call_end_ns = has_call ? at_us(call.end) : 0});
  if (command.run.end != command.run.begin)
    writer_->add(StampRow{commands_, at_us(call.begin), at_us(call.begin), at_us(command.run.begin),
                          at_us(command.run.end)});
  stream_of_command_.push_back(command.stream);
  return commands_++;
}

// As capture does: equal commands share a work.
std::uint32_t MadeDocument::number_of(const WorkRow& work) {
  std::string key = std::to_string(static_cast<int>(work.kind));
  for (const std::uint64_t part :
       {std::uint64_t{work.kernel}, std::uint64_t{work.graph}, std::uint64_t{work.label},
        std::uint64_t{work.scope}, work.groups.count(), work.group_size.count()})
    key += " " + std::to_string(part);
  for (const TraceArgument& argument : work.arguments)
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(argument.kind), static_cast<std::uint64_t>(argument.access),
          std::uint64_t{argument.buffer}, argument.offset_bytes, argument.size_bytes})
      key += " " + std::to_string(part);
  const auto known = works_.find(key);
  if (known != works_.end()) return known->second;
  return works_[key] = writer_->add(work);
}

void MadeDocument::submission(std::uint32_t queue, std::uint32_t first, std::uint32_t count) {
  writer_->add(SubmissionRow{first, count, queue, writer_->text("vkQueueSubmit")});
}
void MadeDocument::interval(std::uint32_t queue, std::uint32_t first, std::uint32_t count,
                            Span span) {
  writer_->add(IntervalRow{first, count, queue, at_us(span.begin), at_us(span.end)});
}
void MadeDocument::order(std::uint32_t command, std::uint32_t after, OrderKind kind,
                         std::uint64_t stages) {
  writer_->add(OrderRow{command, stream_of_command_[command], after, kind, stages});
}
void MadeDocument::edge(std::uint32_t graph, std::uint32_t from, std::uint32_t to,
                        std::uint8_t kind) {
  writer_->add(EdgeRow{graph, from, to, kind});
}
void MadeDocument::call(const std::string& name, Span span, std::uint32_t thread,
                        std::uint32_t peer, std::uint64_t bytes) {
  writer_->add(CallRow{writer_->text(name), thread, at_us(span.begin), at_us(span.end), no_index,
                       peer, bytes});
}
void MadeDocument::clock(const TraceClock& reading) { writer_->add(reading); }
void MadeDocument::pass(Span span) {
  writer_->add(
      RegionRow{TraceRegion::Kind::pass, ++passes_, 0, 1, at_us(span.begin), at_us(span.end)});
}
void MadeDocument::deciding_launch(Span span, std::uint32_t graph) {
  writer_->add(RegionRow{TraceRegion::Kind::launch, graph, writer_->text("launch"), 1,
                         at_us(span.begin), at_us(span.end)});
}
void MadeDocument::overhead(Span span, OverheadKind kind) {
  writer_->add(OverheadRow{kind, 1, at_us(span.begin), at_us(span.end), 1});
}
void MadeDocument::contents(ContentRole role, std::uint32_t command, std::uint32_t buffer,
                            const std::vector<float>& values, bool stored) {
  const auto bytes = std::as_bytes(std::span(values));
  const auto pages = pages_of(*writer_, bytes, stored);
  writer_->add(ContentsRow{role, command, buffer, 0, bytes.size(), stored, pages});
}
void MadeDocument::note(const std::string& text, const std::string& kind) {
  writer_->add(NoteRow{sample_start_ns, kind, text});
}

Trace MadeDocument::trace() { return closed("yes"); }
Trace MadeDocument::cut() { return closed("the program was killed"); }

Trace MadeDocument::closed(const std::string& complete) {
  writer_->close({{"commands", std::to_string(commands_)}, {"complete", complete}});
  Trace trace = Trace::load(folder_ / "made.reel");
  // Clocks that go backwards are made on purpose.
  for (const std::string& problem : trace.problems())
    if (problem.find("before they begin") == std::string::npos) throw std::runtime_error(problem);
  return trace;
}

}  // namespace reel::test
