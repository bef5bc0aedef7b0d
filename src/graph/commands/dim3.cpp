#include "reel/dim3.hpp"

#include "base/fail.hpp"

namespace reel::detail {

void refuse_dim(std::uint64_t value, bool is_signed) {
  const std::string found =
      is_signed ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
  fail(Code::invalid_argument, "A dimension of {} is not a size; allowed are 0 to 4294967295.",
       found);
}

}  // namespace reel::detail
