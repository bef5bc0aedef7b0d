// verbs.hpp - the verbs of `reel`; each lives in the file of its name.
//
// A verb adds itself to the command line. When the user chose it, its callback puts what is to be
// done into `chosen`; main runs that, so that errors are handled in one place. What it returns is
// the exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace reel::cli {

inline constexpr int done = 0, failed = 1, misused = 2, damaged = 3;

using Action = std::function<int()>;

// The program that `capture` is to run, with its words: all that follows -- or the first word that
// is no option of ours. They are taken out of `arguments`, which begin with the verb.
std::vector<std::string> take_program(std::vector<std::string>& arguments);

void add_capture(CLI::App& app, Action& chosen, const std::vector<std::string>& program);
void add_trigger(CLI::App& app, Action& chosen);
void add_devices(CLI::App& app, Action& chosen);
void add_info(CLI::App& app, Action& chosen);
void add_commands(CLI::App& app, Action& chosen);
void add_kernels(CLI::App& app, Action& chosen);
void add_buffers(CLI::App& app, Action& chosen);
void add_buffer(CLI::App& app, Action& chosen);
void add_source(CLI::App& app, Action& chosen);
void add_scopes(CLI::App& app, Action& chosen);
void add_calls(CLI::App& app, Action& chosen);
void add_view(CLI::App& app, Action& chosen);
void add_insights(CLI::App& app, Action& chosen);
void add_gaps(CLI::App& app, Action& chosen);
void add_deps(CLI::App& app, Action& chosen);
void add_memory(CLI::App& app, Action& chosen);
void add_diff(CLI::App& app, Action& chosen);
void add_extract(CLI::App& app, Action& chosen);
void add_replay(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_sql(CLI::App& app, Action& chosen);
void add_verify(CLI::App& app, Action& chosen);
void add_recover(CLI::App& app, Action& chosen);
void add_strip(CLI::App& app, Action& chosen);

}  // namespace reel::cli
