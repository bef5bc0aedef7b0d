#include "recording/writing/ending_document.hpp"

#include <utility>

namespace reel::capture {

CaptureReport EndingDocument::wait() {
  // The lock may have been held by a thread that a forked child hasn't got.
  if (birth_.is_inherited()) return {path_, 0, 0, 0, "A forked process has no capture."};
  const std::lock_guard lock(mutex_);
  if (document_ && !std::exchange(is_waited_for_, true)) {
    const DocumentThread::Result result = document_->wait_until_finished();
    report_.document_bytes = result.document_bytes;
    report_.contents_bytes = result.contents_bytes;
    report_.lost = result.lost;
  }
  return report_;
}

}  // namespace reel::capture
