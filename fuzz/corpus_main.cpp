// corpus_main.cpp - a target over the files of folders: every input that once was trouble.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/target.hpp"

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);  // the last one named is the one that ended the program
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
      reel::fuzz_one(std::as_bytes(std::span(bytes)));
      ++count;
    }
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
