// embedded_texts.hpp - texts that the build makes part of `reel` (embed_texts.cmake).
#pragma once

#include <string_view>

namespace reel::cli::embedded {

std::string_view environment();  // docs/environment.md
std::string_view bash();         // manual/scripts/, of each shell
std::string_view zsh();
std::string_view fish();
std::string_view bench_cl();  // benching/kernels/
std::string_view empty_comp();
std::string_view fma_comp();
std::string_view triad_comp();
std::string_view matmul_comp();

}  // namespace reel::cli::embedded
