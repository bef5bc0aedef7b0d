// shader_sources.hpp - what the page shows of a kernel's SPIR-V beside its words.
//
// They follow the kernel's variants, as if they were further ones. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel::page {

// Their names; none where the kernel has no SPIR-V in the document. GLSL is not made for it.
std::vector<std::string> shader_source_names(const Trace& trace, const TraceKernel& kernel);

// The text of the `number`th of them; of GLSL that can't be made, the reason.
std::optional<std::string> shader_source(const Trace& trace, const TraceKernel& kernel,
                                         std::size_t number);

}  // namespace reel::page
