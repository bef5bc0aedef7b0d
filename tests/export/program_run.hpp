// program_run.hpp - programs made of traces: built, run, spoiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "reel/program.hpp"

namespace reel::test {

std::string text_of(const std::filesystem::path& file);
// Every file below, sorted, with '/'.
std::vector<std::string> files_in(const std::filesystem::path& folder);
// Changes the first byte.
void spoil(const std::filesystem::path& file);

// Empty: Python, numpy and PyOpenCL are here; else why the programs can't be run.
std::string why_no_python();
Outcome run_python(const std::filesystem::path& folder, const std::string& argument = {});

// The compiler as it is called by hand. The program is `folder`/program.
Outcome compile_cpp(const std::filesystem::path& folder);
// By the CMakeLists.txt of the program. The program is `build`/program.
Outcome build_cpp(const std::filesystem::path& folder, const std::filesystem::path& build);

}  // namespace reel::test
