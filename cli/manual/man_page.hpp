// man_page.hpp - man pages, made of the facts that --help is made of.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace reel::cli {

std::string program_man_page(const VerbFacts& program, const std::vector<VerbFacts>& verbs);
std::string verb_man_page(const VerbFacts& verb);
std::string environment_man_page();  // reel-environment(7)

}  // namespace reel::cli
