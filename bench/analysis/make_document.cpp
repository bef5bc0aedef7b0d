// make_document.cpp - writes a document of many commands, to look at and to measure with.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "many_commands.hpp"

int main(int argc, char** argv) {
  bench::ManyCommands options;
  std::string path;
  CLI::App app("Writes a document as a long run of a transformer leaves it.", "make_document");
  app.add_option("document", path, "The .reel file; replaced if there is one")->required();
  app.add_option("--commands", options.commands, "How many")->capture_default_str();
  app.add_option("--layers", options.layers, "Of a pass")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000u));
  app.add_option("--matmul-time", options.matmul_time,
                 "How many times as long matrix products take, for a second document to compare")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the scatter of times")->capture_default_str();
  app.add_flag("--decoder", options.decoder,
               "Each pass appends to caches, and its attention reads all that is there");
  CLI11_PARSE(app, argc, argv);
  try {
    bench::write_many_commands(path, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "make_document: {}\n", error.what());
    return 1;
  }
  return 0;
}
