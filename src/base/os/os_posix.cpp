// os_posix.cpp - what Linux and macOS do alike.
#include <dlfcn.h>

#include "base/os/libraries.hpp"

namespace reel::os {

// Vulkan's loader first, since it knows layers; MoltenVK alone is a driver without them.
std::vector<std::string> macos_vulkan_libraries(std::string_view sdk) {
  std::vector<std::string> folders;
  if (!sdk.empty()) folders.push_back(std::string(sdk) + "/lib/");
  // Homebrew's folder, on Apple's chips and on Intel's, isn't one that dlopen() looks in.
  for (const char* folder : {"", "/opt/homebrew/lib/", "/usr/local/lib/"})
    folders.emplace_back(folder);
  std::vector<std::string> paths;
  for (const char* name : {"libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"})
    for (const std::string& folder : folders) paths.push_back(folder + name);
  return paths;
}

void* load_first(const std::vector<std::string>& paths, std::string& loaded, std::string& problem) {
  for (const std::string& path : paths) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      loaded = path;
      return library;
    }
    const char* reason = dlerror();
    if (!problem.empty()) problem += "; ";
    problem += reason ? reason : path + ": no reason given";
  }
  return nullptr;
}

}  // namespace reel::os
