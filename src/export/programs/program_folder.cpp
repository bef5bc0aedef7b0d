#include "export/programs/program_folder.hpp"

#include <fstream>

#include "base/fail.hpp"

namespace reel::program {

namespace fs = std::filesystem;

ProgramFolder::ProgramFolder(const std::string& path) : folder_(path) {
  std::error_code error;
  was_there_ = fs::exists(fs::symlink_status(folder_, error));
  if (was_there_) {
    const bool is_folder = fs::is_directory(folder_, error);
    const bool is_empty = is_folder && fs::is_empty(folder_, error);
    if (!is_empty || error)
      fail(Code::io_failed, "'{}' {}; a program is written into a new or an empty folder.", path,
           is_folder ? "is not empty" : "is not a folder");
    return;
  }
  fs::create_directories(folder_, error);
  if (error) fail(Code::io_failed, "Can't make the folder '{}': {}.", path, error.message());
}

ProgramFolder::~ProgramFolder() {
  if (is_kept_) return;
  std::error_code ignored;
  for (const std::string& file : files_) fs::remove(folder_ / file, ignored);
  for (const char* sub : {"kernels", "data"}) fs::remove(folder_ / sub, ignored);
  if (!was_there_) fs::remove(folder_, ignored);
}

void ProgramFolder::write(const std::string& name, std::span<const std::byte> bytes) {
  const fs::path path = folder_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  files_.push_back(name);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) fail(Code::io_failed, "Can't write '{}' ({} bytes).", path.string(), bytes.size());
}

void ProgramFolder::write(const std::string& name, const std::string& text) {
  write(name, std::as_bytes(std::span(text)));
}

std::vector<std::string> ProgramFolder::keep() {
  is_kept_ = true;
  return std::move(files_);
}

}  // namespace reel::program
