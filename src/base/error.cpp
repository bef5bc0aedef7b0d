#include "reel/error.hpp"

namespace reel {

const char* to_string(Code code) noexcept {
  switch (code) {
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::unsupported:
      return "unsupported";
    case Code::out_of_memory:
      return "out_of_memory";
    case Code::no_device:
      return "no_device";
    case Code::device_lost:
      return "device_lost";
    case Code::build_failed:
      return "build_failed";
    case Code::driver_failed:
      return "driver_failed";
    case Code::host_call_failed:
      return "host_call_failed";
    case Code::io_failed:
      return "io_failed";
    case Code::damaged_document:
      return "damaged_document";
    case Code::timed_out:
      return "timed_out";
    case Code::capture_unsupported:
      return "capture_unsupported";
    case Code::capture_invalidated:
      return "capture_invalidated";
    case Code::capture_merge:
      return "capture_merge";
    case Code::capture_unmatched:
      return "capture_unmatched";
    case Code::capture_unjoined:
      return "capture_unjoined";
    case Code::capture_isolation:
      return "capture_isolation";
    case Code::capture_implicit:
      return "capture_implicit";
    case Code::captured_event:
      return "captured_event";
    case Code::capture_wrong_thread:
      return "capture_wrong_thread";
  }
  return "unknown";
}

}  // namespace reel
