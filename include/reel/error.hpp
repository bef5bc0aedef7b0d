// error.hpp - the one exception type of the library.
//
// what() is a whole sentence that names the value found, the value allowed and the label the
// user gave. code() is for programs. Codes of stream capture follow CUDA's numbers 900 to 908.
#pragma once

#include <stdexcept>
#include <string>

namespace reel {

enum class Code : int {  // kinds of errors, for programs
  invalid_argument = 1,  // a value out of range, of the wrong kind, or of another device
  unsupported = 2,       // this device can't do it; the sentence says why
  out_of_memory = 3,
  no_device = 4,  // nothing matches the selector, or what matches can't be opened
  device_lost = 5,
  build_failed = 6,      // what() carries the driver's log
  driver_failed = 7,     // the driver answered with an error that is none of the above
  host_call_failed = 8,  // a function given to host_call threw; what() has its words
  io_failed = 9,
  damaged_document = 10,  // not a document, or damaged beyond reading
  timed_out = 11,         // a limit on time that the caller set was reached

  capture_unsupported = 900,   // operation not permitted while the stream is being captured
  capture_invalidated = 901,   // a further call after the first error, which what() repeats
  capture_merge = 902,         // would join two independent captures
  capture_unmatched = 903,     // end without a begin on this stream
  capture_unjoined = 904,      // a forked stream was not joined back
  capture_isolation = 905,     // would depend on work outside the capture
  capture_implicit = 906,      // a device-wide call would wait on a captured stream
  captured_event = 907,        // the event was last recorded inside a capture
  capture_wrong_thread = 908,  // end from another thread, and the mode is not relaxed
};

// The name of the enumerator, as spelled above.
const char* to_string(Code code) noexcept;

class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  Code code() const noexcept { return code_; }  // what kind it is

 private:
  Code code_;
};

}  // namespace reel
