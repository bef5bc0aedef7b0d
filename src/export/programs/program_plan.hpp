// program_plan.hpp - what a program does, whatever language it is written in.
//
// Made once and then only read; borrows the trace. What a program does, and what it leaves out, is
// what a replay does and leaves out, and beside that what the language has no words for. Everything
// that makes a program impossible is found while planning, but for bytes that turn out damaged when
// they are written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reel/arguments.hpp"
#include "reel/program.hpp"
#include "reel/trace.hpp"
#include "replay/script/script.hpp"

namespace reel::program {

struct KernelFile {
  KernelForm form{};
  std::string path;  // "kernels/add.cl"
};

struct ProgramKernel {
  std::string name;  // of its variable
  std::vector<KernelFile> files;
};

struct ProgramPlan {
  const Trace& trace;
  const TraceDevice& device;                     // the one it was recorded on
  std::vector<std::string> backends;             // that have all kernels; the default first
  std::map<std::uint32_t, std::string> buffers;  // those in use, by index; names
  std::map<std::uint32_t, ProgramKernel> kernels;
  rerun::Script script;  // of a replay: the program does the same on one stream
  // By contents, which are put in place or compared with: "data/x_0.bin". Where the document has
  // only the hash there is none.
  std::map<std::uint32_t, std::string> files;
  std::vector<std::string> left_out;
};

// Throws unsupported.
ProgramPlan make_plan(const Trace& trace, ProgramLanguage language);

// Words that the writers of both languages use.
bool is_whole(const Trace& trace, const TraceArgument& range);
bool does_nothing(const Trace& trace, const TraceWork& work);  // no groups, or no bytes
std::uint32_t fill_pattern(const TraceWork& fill);             // the bytes that count
// "z after c3", "z[64..128) after c3"
std::string data_name(const ProgramPlan& plan, const TraceContents& contents);
// The parameter's name where it is a plain word, else empty.
std::string parameter_word(const Parameter* parameter);
// What a comment says of a command: `c3: copy "kv", in scope "layer0"`.
std::string command_comment(const ProgramPlan& plan, std::uint32_t command);
// "c3 add": what its time is printed with.
std::string command_title(const ProgramPlan& plan, std::uint32_t command);

}  // namespace reel::program
