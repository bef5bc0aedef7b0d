// libraries.hpp - libraries of drivers: what they are called, where they lie, which are loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reel::os {

// What to try for a driver, in this order.
std::vector<std::string> vulkan_libraries();
std::vector<std::string> opencl_libraries();

// Those of macOS, which tests look at elsewhere, too. `sdk`: $VULKAN_SDK, or empty.
std::vector<std::string> macos_vulkan_libraries(std::string_view sdk);

// The variable that says where a program's libraries are looked for first.
#if defined(REEL_MACOS)
inline constexpr const char* library_path_variable = "DYLD_LIBRARY_PATH";
#else
inline constexpr const char* library_path_variable = "LD_LIBRARY_PATH";
#endif

// The first of them that can be loaded stays so. Null: `problem` says of each why not.
void* load_first(const std::vector<std::string>& paths, std::string& loaded, std::string& problem);

// Paths of the libraries of this process that end like this.
std::vector<std::string> loaded_libraries(std::string_view ending);

}  // namespace reel::os
