// program_text.hpp - the files of a program that a person reads, from its plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export/programs/program_plan.hpp"

namespace reel::program {

struct TextFile {
  std::string name, text;
};

std::vector<TextFile> cpp_files(const ProgramPlan& plan);     // main.cpp, CMakeLists.txt, README.md
std::vector<TextFile> python_files(const ProgramPlan& plan);  // main.py, README.md

// README.md: what the program is, and how it is built and run.
struct ReadmeWords {
  std::string needs, commands, device, times;
};
std::string readme(const ProgramPlan& plan, const ReadmeWords& words);

// "3 commands of pass.reel, recorded on opencl:0 ("pthread-haswell")", plain ASCII.
std::string origin(const ProgramPlan& plan);

// `head` and parts up to `tail`, with commas between; lines of at most 100 columns where it can be,
// the second and later ones begin below the first part.
std::string wrapped(const std::string& head, const std::vector<std::string>& parts,
                    const std::string& tail);

// One argument a line, comments below each other.
struct ArgumentText {
  std::string code, comment;
};
std::string argument_lines(const std::vector<ArgumentText>& arguments, std::size_t indent,
                           std::string_view comment_sign, std::string_view last_end);

// Whether any result is compared.
bool has_checks(const ProgramPlan& plan);

}  // namespace reel::program
