// program_folder.hpp - the files of a program on their way to the disk.
//
// What was written is taken away again unless keep() is called.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace reel::program {

class ProgramFolder {
 public:
  // Throws io_failed where there is something at `path` already, unless it is an empty folder.
  explicit ProgramFolder(const std::string& path);
  ~ProgramFolder();
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  // `name`: "main.py", "data/x_0.bin". Throws io_failed.
  void write(const std::string& name, std::span<const std::byte> bytes);
  void write(const std::string& name, const std::string& text);

  std::vector<std::string> keep();  // the files, in the order in which they were written

 private:
  std::filesystem::path folder_;
  bool was_there_ = false, is_kept_ = false;
  std::vector<std::string> files_;
};

}  // namespace reel::program
