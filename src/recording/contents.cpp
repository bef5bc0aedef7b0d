#include "reel/capture_report.hpp"

namespace reel {

const char* to_string(Contents contents) noexcept {
  switch (contents) {
    case Contents::none:
      return "none";
    case Contents::hashes:
      return "hashes";
    case Contents::inputs:
      return "inputs";
    case Contents::all:
      return "all";
  }
  return "?";
}

}  // namespace reel
