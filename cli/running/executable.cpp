#include "cli/running/executable.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace reel::cli {
namespace {

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

template <class Row>
bool read_at(std::ifstream& file, std::uint64_t offset, Row& row) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&row), sizeof row));
}

// A program that asks for no dynamic linker has all its libraries in it.
bool is_static(std::ifstream& file, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file, header.e_phoff + std::uint64_t{i} * header.e_phentsize, part)) return false;
    if (part.p_type == PT_INTERP) return false;
  }
  return header.e_phnum > 0;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : std::string();
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable ? variable : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(path)) return path;
  }
  return {};
}

std::string why_no_layer(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header.e_ident[EI_CLASS] == ELFCLASS32)
    return fmt::format("'{}' is a 32-bit program, and the layer is a 64-bit library.", path);
  if (is_static(file, header))
    return fmt::format(
        "'{}' is linked statically: what it has of OpenCL or Vulkan is inside it, where no layer "
        "gets.",
        path);
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 &&
      (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
       ((status.st_mode & S_ISGID) && status.st_gid != getgid())))
    return fmt::format(
        "'{}' runs with the rights of another user, and such programs take no libraries from the "
        "environment.",
        path);
  return {};
}

}  // namespace reel::cli
