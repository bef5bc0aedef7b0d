// verbs.hpp - the verbs of `reel`; each lives in the file of its name.
//
// A verb adds itself and its options to the command line, with the action that main runs where the
// user chose it, so that errors are handled in one place.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace reel::cli {

// The program that `capture` is to run, with its words: all that follows -- or the first word that
// is no option of ours. They are taken out of `arguments`, which begin with the verb.
std::vector<std::string> take_program(std::vector<std::string>& arguments);

void add_capture(CommandLine& line, const std::vector<std::string>& program);
void add_trigger(CommandLine& line);
void add_devices(CommandLine& line);
void add_info(CommandLine& line);
void add_commands(CommandLine& line);
void add_kernels(CommandLine& line);
void add_buffers(CommandLine& line);
void add_buffer(CommandLine& line);
void add_source(CommandLine& line);
void add_scopes(CommandLine& line);
void add_clocks(CommandLine& line);
void add_calls(CommandLine& line);
void add_view(CommandLine& line);
void add_insights(CommandLine& line);
void add_gaps(CommandLine& line);
void add_deps(CommandLine& line);
void add_memory(CommandLine& line);
void add_diff(CommandLine& line);
void add_ranks(CommandLine& line);
void add_extract(CommandLine& line);
void add_replay(CommandLine& line);
void add_export(CommandLine& line);
void add_sql(CommandLine& line);
void add_trend(CommandLine& line);
void add_verify(CommandLine& line);
void add_recover(CommandLine& line);
void add_strip(CommandLine& line);
void add_check(CommandLine& line);
void add_bench(CommandLine& line);
void add_completion(CommandLine& line);
void add_help(CommandLine& line);

}  // namespace reel::cli
