#include "export/programs/program_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/fail.hpp"
#include "document/trace/source_map.hpp"

namespace reel::program {
namespace {

using Marks = document::SourceMap<bool>;

std::string range_words(const Trace& trace, std::uint32_t buffer, std::uint64_t offset_bytes,
                        std::uint64_t size_bytes) {
  const TraceBuffer& b = trace.buffers()[buffer];
  return fmt::format("buffer {} '{}' (offset {}, {} bytes)", name_of(b.id), b.label, offset_bytes,
                     size_bytes);
}

class Contents {
 public:
  explicit Contents(ProgramPlan& plan) : plan_(plan), trace_(plan.trace) {
    for (const auto& [index, name] : plan.buffers) {
      const TraceBuffer& buffer = trace_.buffers()[index];
      known_[index] =
          Marks(buffer.size_bytes, buffer.allocated_ns.has_value() && !buffer.starts_undefined);
      used_[index] = Marks(buffer.size_bytes, false);
    }
  }

  void run() {
    auto row = trace_.contents().begin();
    const auto end = trace_.contents().end();
    for (; row != end && row->command == no_index; ++row)
      if (row->role == ContentRole::input) put(*row, 0);
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      const auto first = row;
      while (row != end && row->command == c) ++row;
      const std::span rows(first, row);
      for (const TraceContents& one : rows)
        if (one.role == ContentRole::input) put(one, c);
      give(c, rows);
      for (const TraceContents& one : rows)
        if (one.role == ContentRole::check && one.size_bytes > 0)
          plan_.steps.push_back({Step::Kind::check, c, {&one, {}}});
    }
    sink_checks();
    name_expected();
  }

 private:
  static bool all(const Marks& marks, std::uint64_t offset, std::uint64_t size, bool wanted) {
    return std::ranges::all_of(marks.pieces(offset, offset + size),
                               [&](const Marks::Piece& piece) { return piece.source == wanted; });
  }
  void mark(std::map<std::uint32_t, Marks>& marks, std::uint32_t buffer, std::uint64_t offset,
            std::uint64_t size) {
    marks[buffer].assign(offset, offset + size, true);
  }

  std::string file(const TraceContents& contents, std::string_view when) {
    return fmt::format("data/{}.bin",
                       files_.take(fmt::format("{}_{}{}", plan_.buffers.at(contents.buffer),
                                               contents.offset_bytes, when)));
  }

  void put(const TraceContents& input, std::uint32_t command) {
    if (input.size_bytes == 0) return;
    const std::uint64_t offset = input.offset_bytes, size = input.size_bytes;
    if (!input.stored)
      fail(Code::unsupported,
           "The document has no bytes of {}, which {} needs; capture with contents inputs or all.",
           range_words(trace_, input.buffer, offset, size), command_name(command));
    // Before the first command where nothing has looked at it until now.
    if (all(used_[input.buffer], offset, size, false))
      plan_.inputs.push_back({&input, file(input, "")});
    else
      plan_.steps.push_back(
          {Step::Kind::put, command, {&input, file(input, fmt::format("_before_c{}", command))}});
    mark(known_, input.buffer, offset, size);
    mark(used_, input.buffer, offset, size);
  }

  void give(std::uint32_t command, std::span<const TraceContents> rows) {
    const TraceWork& work = trace_.work_of(trace_.commands()[command]);
    Step step{Step::Kind::command, command};
    if (!does_nothing(trace_, work)) {
      if (work.kind == WorkKind::write) step.written = written(command, work, rows);
      for (const TraceArgument& a : trace_.arguments(work)) use(command, work, a);
    }
    plan_.steps.push_back(step);
  }

  std::vector<Data> written(std::uint32_t command, const TraceWork& work,
                            std::span<const TraceContents> rows) {
    std::vector<Data> all_rows;
    std::map<std::uint32_t, Marks> given;
    for (const TraceContents& row : rows) {
      if (row.role != ContentRole::written || !row.stored) continue;
      auto [marks, is_new] = given.try_emplace(row.buffer);
      if (is_new) marks->second = Marks(trace_.buffers()[row.buffer].size_bytes, false);
      mark(given, row.buffer, row.offset_bytes, row.size_bytes);
      all_rows.push_back({&row, file(row, fmt::format("_by_c{}", command))});
    }
    for (const TraceArgument& target : trace_.arguments(work)) {
      const auto marks = given.find(target.buffer);
      if (target.size_bytes == 0) continue;
      if (marks == given.end() || !all(marks->second, target.offset_bytes, target.size_bytes, true))
        fail(Code::unsupported,
             "The document has no bytes that {} wrote to {}; capture with contents inputs or all.",
             command_name(command),
             range_words(trace_, target.buffer, target.offset_bytes, target.size_bytes));
    }
    return all_rows;
  }

  void use(std::uint32_t command, const TraceWork& work, const TraceArgument& a) {
    if (a.kind != ArgumentKind::buffer && a.kind != ArgumentKind::indirect) return;
    // A kernel may write only some of what it is given to write.
    const bool needs_bytes = work.kind == WorkKind::dispatch || reads(a.access);
    if (needs_bytes && work.kind != WorkKind::read &&
        !all(known_[a.buffer], a.offset_bytes, a.size_bytes, true))
      fail(Code::unsupported,
           "{} needs {}, and the document doesn't have all of its bytes; capture with contents "
           "inputs or all.",
           command_name(command), range_words(trace_, a.buffer, a.offset_bytes, a.size_bytes));
    mark(used_, a.buffer, a.offset_bytes, a.size_bytes);
    if (writes(a.access)) mark(known_, a.buffer, a.offset_bytes, a.size_bytes);
  }

  // What nothing changes any more is compared at the end, where it reads best.
  void sink_checks() {
    std::map<std::uint32_t, Marks> changed;
    for (const auto& [index, name] : plan_.buffers)
      changed[index] = Marks(trace_.buffers()[index].size_bytes, false);
    std::vector<Step> kept;
    std::ranges::reverse(plan_.steps);
    for (const Step& step : plan_.steps) {
      if (step.kind == Step::Kind::check) {
        const TraceContents& check = *step.data.contents;
        const bool is_final =
            all(changed[check.buffer], check.offset_bytes, check.size_bytes, false);
        // Without bytes there is only a line to print.
        if (!is_final && check.stored)
          kept.push_back(step);
        else
          compare_at_end(step.data);
        continue;
      }
      kept.push_back(step);
      if (step.kind == Step::Kind::put) {
        const TraceContents& input = *step.data.contents;
        mark(changed, input.buffer, input.offset_bytes, input.size_bytes);
        continue;
      }
      for (const TraceArgument& a :
           trace_.arguments(trace_.work_of(trace_.commands()[step.command])))
        if (a.kind == ArgumentKind::buffer && writes(a.access))
          mark(changed, a.buffer, a.offset_bytes, a.size_bytes);
    }
    std::ranges::reverse(kept);
    std::ranges::reverse(plan_.checks);
    plan_.steps = std::move(kept);
  }

  // The earliest of equal ones: it tells which command first went wrong.
  void compare_at_end(const Data& data) {
    const TraceContents& check = *data.contents;
    std::erase_if(plan_.checks, [&](const Data& later) {
      const TraceContents& row = *later.contents;
      return row.buffer == check.buffer && row.offset_bytes == check.offset_bytes &&
             row.size_bytes == check.size_bytes && row.stored == check.stored &&
             std::ranges::equal(trace_.pages(row), trace_.pages(check));
    });
    plan_.checks.push_back(data);
  }

  void name_expected() {
    const auto name = [&](Data& data) {
      if (data.contents->stored)
        data.path = file(*data.contents, fmt::format("_after_c{}", data.contents->command));
    };
    for (Step& step : plan_.steps)
      if (step.kind == Step::Kind::check) name(step.data);
    for (Data& check : plan_.checks) name(check);
  }

  ProgramPlan& plan_;
  const Trace& trace_;
  NameSet files_;
  std::map<std::uint32_t, Marks> known_;  // bytes that the program has by now
  std::map<std::uint32_t, Marks> used_;   // bytes that something has named by now
};

}  // namespace

void plan_contents(ProgramPlan& plan) { Contents(plan).run(); }

}  // namespace reel::program
