#include "export/programs/program_writer.hpp"

#include "document/trace/ranges.hpp"

namespace reel::program {

using rerun::Action;

std::string ProgramWriter::body() {
  const rerun::Script& script = plan_.script;
  begin();
  if (!plan_.buffers.empty()) heading("buffers, zero at first");
  for (const auto& [index, name] : plan_.buffers) buffer(trace_.buffers()[index], name);
  if (!script.at_start.empty()) heading("inputs");
  for (const std::uint32_t i : script.at_start) put(i, no_index);
  if (!plan_.kernels.empty()) heading("kernels");
  for (const auto& [index, files] : plan_.kernels) kernel(trace_.kernels()[index], files);
  heading("commands");
  for (const Action& action : script.actions) {
    if (action.kind == Action::Kind::put)
      put(action.contents, action.command);
    else if (action.kind == Action::Kind::look)
      look(action.contents);
    else
      run(action.command);
  }
  heading("checks");
  for (const std::uint32_t i : script.at_end) look(i);
  end();
  return std::exchange(text_, {});
}

void ProgramWriter::add_used(std::span<const char* const> functions) {
  for (const char* function : functions)
    if (used_.contains(function)) text_ += function;
}

void ProgramWriter::heading(std::string_view words) {
  line("\n{}{} --- {} ---", margin_, comment_, words);
}

void ProgramWriter::put(std::uint32_t contents, std::uint32_t command) {
  const TraceContents& row = trace_.contents()[contents];
  const auto file = plan_.files.find(contents);
  if (file == plan_.files.end()) return;  // no bytes
  if (command == no_index || row.role == ContentRole::input) return put(row, file->second, nullptr);
  announce(command);
  put(row, file->second, &trace_.work_of(trace_.commands()[command]));
}

// The comment of a command stands before what the host wrote by it, and else before itself.
void ProgramWriter::announce(std::uint32_t command) {
  if (announced_ == command) return;
  announced_ = command;
  const TraceWork& work = trace_.work_of(trace_.commands()[command]);
  line("{}{} {}{}", margin_, comment_, command_comment(plan_, command), remark(command, work));
}

std::string ProgramWriter::remark(std::uint32_t command, const TraceWork& work) const {
  if (plan_.script.left_out.contains(command)) return ", left out; it wrote:";
  if (does_nothing(trace_, work)) return "; nothing to do";
  if (work.kind == WorkKind::host_call) return ", left out";
  if (work.kind == WorkKind::launch) return " of a graph, whose nodes follow";
  if (work.kind == WorkKind::read) return " of " + name_of_buffer(trace_.arguments(work)[0].buffer);
  return {};
}

void ProgramWriter::run(std::uint32_t command) {
  const TraceWork& work = trace_.work_of(trace_.commands()[command]);
  const auto arguments = trace_.arguments(work);
  announce(command);
  if (does_nothing(trace_, work)) return;
  if (work.kind == WorkKind::copy)
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
      copy(work, arguments[i + 1], arguments[i]);
  if (work.kind == WorkKind::fill)
    for (const TraceArgument& target : arguments) fill(work, target);
  if (work.kind == WorkKind::barrier) barrier();
  if (work.kind != WorkKind::dispatch) return;  // a write is put, and no other does anything here
  std::vector<ArgumentText> texts;
  const TraceArgument* grid = nullptr;
  const TraceArgument* const word = predicate_of(trace_, work);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == ArgumentKind::indirect)
      grid = &arguments[i];
    else if (&arguments[i] != word)
      texts.push_back(argument(parameter_of(trace_, work, i), arguments[i]));
  }
  if (word) predicate(*word);
  const std::size_t begin = text_.size();
  dispatch(work, command_title(plan_, command), grid, texts);
  if (word) indent(begin);
}

// Lines from there on, by one step more.
void ProgramWriter::indent(std::size_t begin) {
  std::string deeper;
  bool is_at_start = true;
  for (const char c : std::string_view(text_).substr(begin)) {
    if (is_at_start && c != '\n') deeper += margin_;
    deeper += c;
    is_at_start = c == '\n';
  }
  text_.replace(begin, std::string::npos, deeper);
}

ArgumentText ProgramWriter::argument(const Parameter* parameter, const TraceArgument& a) {
  const std::string word = parameter_word(parameter);
  if (a.kind == ArgumentKind::null) return {null(), word};
  if (a.kind == ArgumentKind::shared) return {shared_memory(a.size_bytes), word};
  if (a.kind == ArgumentKind::buffer)
    return {range_argument(a), word == name_of_buffer(a.buffer) ? "" : word};
  if (a.kind == ArgumentKind::sampler)
    return {sampler(trace_.value_bytes(a)),
            word + (word.empty() ? "" : ": ") + sampler_text(trace_.value_bytes(a))};
  const Literal value =
      literal(parameter ? parameter->element : std::nullopt, trace_.value_bytes(a));
  return {value.code, word + (word.empty() || value.comment.empty() ? "" : ": ") + value.comment};
}

void ProgramWriter::look(std::uint32_t contents) {
  const TraceContents& row = trace_.contents()[contents];
  if (row.size_bytes == 0) return;
  const std::string name = data_name(plan_, row);
  if (const auto file = plan_.files.find(contents); file != plan_.files.end())
    check(row, name, file->second);
  else
    say(fmt::format("{:<32} not checked: only the hash of its {} bytes was recorded", name,
                    row.size_bytes));
}

}  // namespace reel::program
