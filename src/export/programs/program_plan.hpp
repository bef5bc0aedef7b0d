// program_plan.hpp - what a program does, whatever language it is written in.
//
// Made once and then only read; borrows the trace. Everything that makes a program impossible is
// found while planning, but for bytes that turn out damaged when they are written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reel/arguments.hpp"
#include "reel/program.hpp"
#include "reel/trace.hpp"

namespace reel::program {

struct KernelFile {
  KernelForm form{};
  std::string path;  // "kernels/add.cl"
};

struct ProgramKernel {
  std::string name;  // of its variable
  std::vector<KernelFile> files;
};

// Contents that are put in place, or compared with.
struct Data {
  const TraceContents* contents;
  std::string path;  // "data/x_0.bin"; empty where the document has only the hash
};

// One thing after the other, in the order of the recording.
struct Step {
  enum class Kind : std::uint8_t { put, command, check } kind;
  std::uint32_t command;           // index; of a put and a check: the one they belong to
  Data data = {};                  // of a put and a check
  std::vector<Data> written = {};  // by a command of the host's
};

struct ProgramPlan {
  const Trace& trace;
  const TraceDevice& device;                     // the one it was recorded on
  std::vector<std::string> backends;             // that have all kernels; the default first
  std::map<std::uint32_t, std::string> buffers;  // those in use, by index; names
  std::map<std::uint32_t, ProgramKernel> kernels;
  std::vector<Data> inputs;  // that may be put in place before the first command
  std::vector<Step> steps;
  std::vector<Data> checks;  // that hold after the last one
  std::vector<std::string> left_out;
};

// Throws unsupported.
ProgramPlan make_plan(const Trace& trace, ProgramLanguage language);

// Words that the writers of both languages use.
bool is_whole(const Trace& trace, const TraceArgument& range);
bool does_nothing(const Trace& trace, const TraceWork& work);  // no groups, or no bytes
std::uint32_t fill_pattern(const TraceWork& fill);             // the bytes that count
std::string buffer_name(const ProgramPlan& plan, std::uint32_t buffer);
TraceArgument range_of(const TraceContents& contents);
// "z after c3", "z[64..128) after c3"
std::string data_name(const ProgramPlan& plan, const TraceContents& contents);
// The parameter's name where it is a plain word, else empty.
std::string parameter_word(const Parameter* parameter);
// What a comment says of a command: `c3: copy "kv", in scope "layer0"`.
std::string command_comment(const ProgramPlan& plan, std::uint32_t command);
// "c3 add": what its time is printed with.
std::string command_title(const ProgramPlan& plan, std::uint32_t command);

}  // namespace reel::program
