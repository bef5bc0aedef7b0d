// trace_fuzz.cpp - any bytes as a document, and as a graph that was saved.
#include <fcntl.h>

#include "fuzz/trace_checks.hpp"

namespace reel {

void fuzz_one(std::span<const std::byte> file) {
  if (file.empty()) return;
  const int scratch =
      ::open(scratch_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  check(scratch >= 0 &&
            ::write(scratch, file.data(), file.size()) == static_cast<ssize_t>(file.size()),
        "no scratch file");
  ::close(scratch);
  check_scratch();
  check_scratch_as_graph();
}

}  // namespace reel
