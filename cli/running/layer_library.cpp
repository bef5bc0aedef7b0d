#include "cli/running/layer_library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <reel/error.hpp>
#include <vector>

namespace reel::cli {
namespace {

constexpr const char* library = "libreel_layer.so";

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

std::string find_opencl_layer() {
  std::string tried;
  for (const auto& place : places()) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(place, ignored)) {
      tried += (tried.empty() ? "" : ", ") + place.string();
      continue;
    }
    if (place.string().find(':') != std::string::npos)
      throw Error(Code::unsupported,
                  fmt::format("The OpenCL layer is at {}, and the loader takes a ':' in a path for "
                              "the end of it; move Reel elsewhere.",
                              place.string()));
    return place.string();
  }
  throw Error(Code::io_failed, fmt::format("The OpenCL layer is not here: there is no {}.", tried));
}

}  // namespace reel::cli
