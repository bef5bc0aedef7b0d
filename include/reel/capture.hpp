// capture.hpp - a span of a program's GPU work, into a document.
//
//   reel::start_capture("step.reel");
//   …                                    // whatever any thread gives to any device
//   reel::CaptureReport report = reel::stop_capture();
//
// One capture at a time in a process. A capture never changes what the program computes: what goes
// wrong with the document (a full disk, say) ends the recording and is raised by stop_capture().
// Any thread may start and stop, not necessarily the same one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "reel/capture_report.hpp"
#include "reel/device.hpp"
#include "reel/stream.hpp"

namespace reel {

struct CaptureOptions {  // what is recorded, and how much
  Contents contents = Contents::inputs;
  // Of the document. When it is reached contents become hashes, and the document says so; a
  // quarter beyond it recording stops. 0: no limit.
  std::uint64_t limit_bytes = 0;
  bool overwrite = false;  // an existing file is otherwise an error
  Device device = {};      // only this one's work
  Stream stream = {};      // only this one's work
  std::string scope = {};  // only commands whose scope matches, or lies below: "decode/*"
  // Facts of the run, beside rank, job, commit and others that are found out (docs/capture.md): a
  // name has small letters, digits, '_' and '.', and is none of the document's own keys.
  std::map<std::string, std::string> facts = {};
};

// In the path, %p becomes the process's id, %n the number of the capture in the process, %r the
// rank of an MPI or Slurm job, %h the host, %j the job, %% a percent sign. A rank, host or job that
// isn't known becomes "p<process id>".
void start_capture(const std::string& path, const CaptureOptions& options = {});
CaptureReport stop_capture();  // finishes the document

namespace capture {
class EndingDocument;
}
// A capture that has ended, and whose document is being written while the program goes on. It is
// finished when report() has returned, and when the program ends by exit() at the latest, whether
// anybody holds this or not; a program that leaves otherwise (_exit(), quick_exit(), abort()) asks
// for the report before. Any thread.
class EndingCapture {
 public:
  EndingCapture(const EndingCapture&) = default;
  EndingCapture& operator=(const EndingCapture&) = default;

  CaptureReport report() const;  // waits; what stop_capture() or Capture::end() gives or throws
  bool is_finished() const noexcept;  // report() wouldn't wait

 private:
  friend class Capture;
  friend EndingCapture stop_capture_async();
  EndingCapture(std::shared_ptr<capture::EndingDocument> document, bool is_demanded)
      : document_(std::move(document)), is_demanded_(is_demanded) {}
  std::shared_ptr<capture::EndingDocument> document_;
  bool is_demanded_;  // what is lost is an error
};
// stop_capture() without waiting for the document: the work has been waited for, and what the
// document needs of its buffers has been read. Whoever begins the next capture waits until at most
// two documents are still being written, and for one whose place the next one takes.
EndingCapture stop_capture_async();
bool is_capturing() noexcept;  // in this process

class CaptureState;

// A capture as an object: opened, begun, ended; each once. A second begin() before the end and a
// second end() do nothing; what makes no sense (begin() after end(), any call after a move) throws
// invalid_argument. One thread at a time.
class Capture {
 public:
  // What the environment asks for (docs/environment.md), for the calling pass: of the calls made
  // while REEL_CAPTURE is set, the first that qualifies gets it, once in a process. Each such call
  // counts as a pass. None while another capture is under way. Neither it nor begin() of the result
  // throws: a reason why there is none, where one was asked for, is one line on standard error.
  // Sessions of a GraphExecutor and launches of a GraphExec do this by themselves.
  static std::optional<Capture> from_env(const Device& device) noexcept;

  // Opens the document: whatever would keep it from being written is said now.
  explicit Capture(const std::string& path, const CaptureOptions& options = {});
  ~Capture();  // ends it; a document that was never begun is taken away again
  Capture(Capture&&) noexcept;
  Capture& operator=(Capture&&) noexcept;

  void begin();  // throws when another capture is under way; may then be called again
  CaptureReport end();
  EndingCapture end_async();                 // as stop_capture_async(); waits if from_env()
  bool is_begun() const noexcept;            // until it is stopped
  const std::string& path() const noexcept;  // empty after a move

 private:
  explicit Capture(std::unique_ptr<CaptureState> state);
  void drop() noexcept;
  std::unique_ptr<CaptureState> state_;
};

namespace detail {
// As if the environment had not been looked at yet.
void reset_environment_capture_for_test() noexcept;
}  // namespace detail

}  // namespace reel
