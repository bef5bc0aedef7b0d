#include "cli/running/layer_library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <reel/error.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/os/process.hpp"

namespace reel::cli {
namespace {

constexpr const char* library = "libreel_layer.so";
constexpr const char* vulkan_layer = "VK_LAYER_REEL_capture";

std::vector<std::filesystem::path> places() {
  if (const char* chosen = std::getenv("REEL_LAYER"); chosen && *chosen)
    return {std::filesystem::absolute(chosen)};
  const auto program = std::filesystem::path(os::program_path()).parent_path();
  std::vector<std::filesystem::path> found;
  // Installed; in the build's tree; of a Debian package, which keeps what nobody links apart.
  for (const char* folder : {REEL_LIB_FROM_BIN, "../lib", "../lib/" REEL_ARCHITECTURE "/reel"}) {
    auto place = (program / folder / library).lexically_normal();
    if (found.empty() || found.back() != place) found.push_back(std::move(place));
  }
  return found;
}

// "reel layer of version 0.1.0" stands in the file; empty where it doesn't.
std::string version_of(const std::filesystem::path& layer) {
  std::ifstream file(layer, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  constexpr std::string_view mark = "reel layer of version ";
  const auto at = bytes.find(mark);
  if (at == std::string::npos) return {};
  const auto end = bytes.find_first_not_of("0123456789.", at + mark.size());
  return bytes.substr(at + mark.size(), end - at - mark.size());
}

// Both speak of documents and of messages to each other, which versions may change.
void expect_same_version(const std::filesystem::path& layer) {
  const std::string version = version_of(layer);
  if (version == REEL_VERSION) return;
  throw Error(
      Code::unsupported,
      version.empty()
          ? fmt::format("{} is not a layer of Reel; REEL_LAYER, or the installation, is wrong.",
                        layer.string())
          : fmt::format("The layer {} is of version {}, and this is reel {}. Use the layer of the "
                        "same installation: unset REEL_LAYER, or install both again.",
                        layer.string(), version, REEL_VERSION));
}

// Where Vulkan's loader finds layers by itself, those that there are.
std::string folders_of_loader() {
  const auto given = [](const char* name, std::string otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? std::string(value) : std::move(otherwise);
  };
  const std::string home = given("HOME", "");
  std::istringstream roots(given("XDG_CONFIG_HOME", home + "/.config") + ":" +
                           given("XDG_CONFIG_DIRS", "/etc/xdg") +
                           ":/etc:" + given("XDG_DATA_HOME", home + "/.local/share") + ":" +
                           given("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
  std::string folders;
  for (std::string root; std::getline(roots, root, ':');) {
    const auto folder = std::filesystem::path(root) / "vulkan" / "explicit_layer.d";
    std::error_code ignored;
    if (root.empty() || !std::filesystem::is_directory(folder, ignored)) continue;
    folders += (folders.empty() ? "" : ":") + folder.string();
  }
  return folders;
}

}  // namespace

std::string find_layer() {
  std::string tried;
  for (const auto& place : places()) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(place, ignored)) {
      tried += (tried.empty() ? "" : ", ") + place.string();
      continue;
    }
    if (place.string().find(':') != std::string::npos)
      throw Error(Code::unsupported,
                  fmt::format("The layer is at {}, and loaders take a ':' in a path for "
                              "the end of it; move Reel elsewhere.",
                              place.string()));
    expect_same_version(place);
    return place.string();
  }
  throw Error(Code::io_failed, fmt::format("The layer is not here: there is no {}.", tried));
}

std::string with_mpi_libraries(const std::string& layer) {
  const auto folder = std::filesystem::path(layer).parent_path();
  std::string list;
  for (const char* name : {"libreel_mpi.so", "libreel_mpi_mpich.so"}) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder / name, ignored))
      list += (list.empty() ? "" : ":") + (folder / name).string();
  }
  if (list.empty())
    throw Error(
        Code::unsupported,
        fmt::format("--mpi needs libreel_mpi.so (Open MPI) or libreel_mpi_mpich.so (MPICH), "
                    "and {} has neither: Reel was built where the headers of both "
                    "(libopenmpi-dev, libmpich-dev) are missing.",
                    folder.string()));
  const char* const before = std::getenv("LD_PRELOAD");
  return before && *before ? list + ":" + before : list;
}

std::vector<std::pair<std::string, std::string>> layer_variables(const std::string& layer) {
  const auto joined = [](const std::string& first, const std::string& rest) {
    return rest.empty() ? first : first.empty() ? rest : first + ":" + rest;
  };
  const auto given = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::vector<std::pair<std::string, std::string>> variables{
      {"OPENCL_LAYERS", joined(layer, given("OPENCL_LAYERS"))}};
  const auto folder = std::filesystem::path(layer).parent_path();
  std::error_code ignored;
  auto manifests = folder / "reel" / "vulkan";
  if (!std::filesystem::is_directory(manifests, ignored)) manifests = folder / "vulkan";
  if (!std::filesystem::is_directory(manifests, ignored)) return variables;
  // The last one is the one next to the driver: it sees what the others make of the program's
  // calls, and they see those calls as the program made them. Loaders order layers by the folders
  // that they are found in (1.3.239), so that ours is the last, unless it was named first.
  const std::string layers = given("VK_INSTANCE_LAYERS");
  const bool is_last = !layers.empty() && !layers.starts_with(vulkan_layer);
  const auto with_ours = [&](const std::string& folders) {
    return is_last ? joined(folders, manifests.string()) : joined(manifests.string(), folders);
  };
  // Where VK_LAYER_PATH is set, the loader doesn't look at the other one.
  const std::string path = given("VK_LAYER_PATH");
  if (!path.empty()) {
    variables.emplace_back("VK_LAYER_PATH", with_ours(path));
  } else {
    std::string folders = given("VK_ADD_LAYER_PATH");
    if (is_last) folders = joined(folders, folders_of_loader());
    variables.emplace_back("VK_ADD_LAYER_PATH", with_ours(folders));
  }
  if (layers.find(vulkan_layer) == std::string::npos)
    variables.emplace_back("VK_INSTANCE_LAYERS", joined(layers, vulkan_layer));
  return variables;
}

}  // namespace reel::cli
