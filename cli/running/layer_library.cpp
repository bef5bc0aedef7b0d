#include "cli/running/layer_library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <reel/error.hpp>
#include <vector>

namespace reel::cli {
namespace {

constexpr const char* library = "libreel_layer.so";
constexpr const char* vulkan_layer = "VK_LAYER_REEL_capture";

std::vector<std::filesystem::path> places() {
  if (const char* chosen = std::getenv("REEL_LAYER"); chosen && *chosen)
    return {std::filesystem::absolute(chosen)};
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<std::filesystem::path> found;
  for (const char* folder : {REEL_LIB_FROM_BIN, "../lib"}) {  // installed; in the build's tree
    auto place = (program / folder / library).lexically_normal();
    if (found.empty() || found.back() != place) found.push_back(std::move(place));
  }
  return found;
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
    return place.string();
  }
  throw Error(Code::io_failed, fmt::format("The layer is not here: there is no {}.", tried));
}

std::string with_mpi_library(const std::string& layer) {
  const auto place = std::filesystem::path(layer).parent_path() / "libreel_mpi.so";
  std::error_code ignored;
  const char* const before = std::getenv("LD_PRELOAD");
  if (std::filesystem::is_regular_file(place, ignored))
    return place.string() + (before && *before ? std::string(":") + before : "");
  throw Error(Code::unsupported,
              fmt::format("--mpi needs {}, which is not there: Reel was built where Open MPI's "
                          "headers (libopenmpi-dev) are missing.",
                          place.string()));
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
  const auto manifests = std::filesystem::path(layer).parent_path() / "reel" / "vulkan";
  std::error_code ignored;
  if (!std::filesystem::is_directory(manifests, ignored)) return variables;
  // Where VK_LAYER_PATH is set, the loader doesn't look at the other one.
  const std::string path = given("VK_LAYER_PATH");
  if (path.empty())
    variables.emplace_back("VK_ADD_LAYER_PATH",
                           joined(manifests.string(), given("VK_ADD_LAYER_PATH")));
  else
    variables.emplace_back("VK_LAYER_PATH", joined(manifests.string(), path));
  // The last one is the one next to the driver: it sees what the others make of the program's
  // calls.
  const std::string layers = given("VK_INSTANCE_LAYERS");
  if (layers.find(vulkan_layer) == std::string::npos)
    variables.emplace_back("VK_INSTANCE_LAYERS", joined(layers, vulkan_layer));
  return variables;
}

}  // namespace reel::cli
