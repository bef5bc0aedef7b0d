// completion.cpp - `reel completion`: what a shell loads to complete verbs, options, ids and names.
#include <fmt/format.h>

#include <memory>

#include "cli/manual/completion_script.hpp"
#include "cli/verbs.hpp"

namespace reel::cli {

void add_completion(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  Verb verb = line.add_verb("completion", "Print the completion script of a shell");
  verb.add_option("shell", *shell, "bash, zsh or fish").required().one_of(completion_shells());
  verb.footer(
      "Packages install these scripts where shells find them. Elsewhere, load one when a shell\n"
      "starts. Besides verbs and options it completes ids and names of the document on the "
      "line.\n\n"
      "Examples:\n"
      "  source <(reel completion bash)        in ~/.bashrc\n"
      "  source <(reel completion zsh)         in ~/.zshrc, after compinit\n"
      "  reel completion fish | source         in ~/.config/fish/config.fish");
  verb.action([shell] {
    fmt::print("{}", completion_script(*shell));
    return done;
  });
}

}  // namespace reel::cli
