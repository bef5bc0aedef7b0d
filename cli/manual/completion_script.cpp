#include "cli/manual/completion_script.hpp"

#include "cli/embedded_texts.hpp"

namespace reel::cli {

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string_view completion_script(const std::string& shell) {
  return shell == "zsh" ? embedded::zsh() : shell == "fish" ? embedded::fish() : embedded::bash();
}

}  // namespace reel::cli
