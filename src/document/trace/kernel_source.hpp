// kernel_source.hpp - a recorded kernel as a source to build again.
#pragma once

#include "reel/kernel.hpp"
#include "reel/trace.hpp"

namespace reel::document {

// Every form whose source the document has: `reel strip --sources` leaves them out. A C++ function
// is the one registered under the kernel's name. Throws damaged_document for a source that is none.
KernelSource kernel_source(const Trace& trace, const TraceKernel& kernel);

}  // namespace reel::document
