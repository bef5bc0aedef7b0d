// reel.hpp - the whole library.
#pragma once

#include "reel/analysis.hpp"        // IWYU pragma: export
#include "reel/buffer.hpp"          // IWYU pragma: export
#include "reel/capture.hpp"         // IWYU pragma: export
#include "reel/command.hpp"         // IWYU pragma: export
#include "reel/device.hpp"          // IWYU pragma: export
#include "reel/diff.hpp"            // IWYU pragma: export
#include "reel/error.hpp"           // IWYU pragma: export
#include "reel/executor.hpp"        // IWYU pragma: export
#include "reel/export.hpp"          // IWYU pragma: export
#include "reel/graph.hpp"           // IWYU pragma: export
#include "reel/graph_exec.hpp"      // IWYU pragma: export
#include "reel/host_kernel.hpp"     // IWYU pragma: export
#include "reel/insights.hpp"        // IWYU pragma: export
#include "reel/kernel.hpp"          // IWYU pragma: export
#include "reel/page.hpp"            // IWYU pragma: export
#include "reel/program.hpp"         // IWYU pragma: export
#include "reel/replay.hpp"          // IWYU pragma: export
#include "reel/sql.hpp"             // IWYU pragma: export
#include "reel/stream.hpp"          // IWYU pragma: export
#include "reel/stream_capture.hpp"  // IWYU pragma: export
#include "reel/trace.hpp"           // IWYU pragma: export
#include "reel/trace_columns.hpp"   // IWYU pragma: export
