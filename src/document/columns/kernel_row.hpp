// kernel_row.hpp - a kernel as documents keep it: every form of its source, and how it was built.
#pragma once

#include "document/columns/rows.hpp"
#include "graph/commands/resource.hpp"

namespace reel::document {

KernelRow kernel_row(const KernelResource& kernel, std::uint32_t device, KernelForm built_form);

}  // namespace reel::document
