// capture_writing.hpp - a million commands into a document and out of it, without a device.
#pragma once

#include <string>

#include "shared/harness.hpp"

namespace bench {

// Writing is measured in this process. Loading is measured in another one, so that the most memory
// it ever had is that of loading alone: this program is started anew with `--load <path>`.
GroupResult writing_and_loading(std::uint32_t commands, int rounds);

// What `--load` does: loads and prints what it took.
int load_and_tell(const std::string& path);

}  // namespace bench
