#include "export/program_run.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace reel::test {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.push_back(fs::relative(entry.path(), folder).generic_string());
  std::ranges::sort(files);
  return files;
}

void spoil(const fs::path& file) {
  std::string text = text_of(file);
  text.at(0) = static_cast<char>(text[0] ^ 1);
  std::ofstream(file, std::ios::binary) << text;
}

std::string why_no_python() {
  static const std::string reason = [] {
    const Outcome outcome = run_program({REEL_PYTHON, "-c", "import numpy, pyopencl"});
    return outcome.exit_code == 0 ? std::string() : REEL_PYTHON ": " + outcome.err;
  }();
  return reason;
}

Outcome run_python(const fs::path& folder, const std::string& argument) {
  std::vector<std::string> command{REEL_PYTHON, "-W", "error::SyntaxWarning", folder / "main.py"};
  if (!argument.empty()) command.push_back(argument);
  // Neither byte code nor built kernels are left behind.
  return run_program(command, {{"PYTHONDONTWRITEBYTECODE", "1"}, {"PYOPENCL_NO_CACHE", "1"}});
}

Outcome compile_cpp(const fs::path& folder) {
  const std::string library = REEL_LIBRARY;
  const std::string line = REEL_CXX " " REEL_CXX_FLAGS
                                    " -std=c++20 -O0 -Wall -Wextra -Wpedantic -Wshadow -Werror"
                                    " -I" REEL_INCLUDE " '-DPROGRAM_FOLDER=\"" +
                           folder.string() + "\"' " + (folder / "main.cpp").string() + " -o " +
                           (folder / "program").string() + " " + library + " -Wl,-rpath," +
                           fs::path(library).parent_path().string();
  return run_program({"/bin/sh", "-c", line});
}

Outcome build_cpp(const fs::path& folder, const fs::path& build) {
  const fs::path package = build / "package";
  fs::create_directories(package);
  // What an installed reelConfig.cmake gives, for the library of this build.
  std::ofstream(package / "reelConfig.cmake")
      << "add_library(reel::reel SHARED IMPORTED)\n"
         "set_target_properties(reel::reel PROPERTIES IMPORTED_LOCATION \"" REEL_LIBRARY
         "\"\n"
         "  INTERFACE_INCLUDE_DIRECTORIES \"" REEL_INCLUDE
         "\"\n"
         "  INTERFACE_COMPILE_FEATURES cxx_std_20)\n";
  const Outcome configured =
      run_program({REEL_CMAKE, "-G", "Ninja", "-S", folder.string(), "-B", build.string(),
                   "-DCMAKE_CXX_COMPILER=" REEL_CXX, "-DCMAKE_CXX_FLAGS=" REEL_CXX_FLAGS,
                   "-Dreel_DIR=" + package.string()});
  if (configured.exit_code != 0) return configured;
  return run_program({REEL_CMAKE, "--build", build.string()});
}

}  // namespace reel::test
