// ending_document.hpp - a document that has been given everything, and is still being written.
//
// Owns the thread that writes it, and waits for it at its end. Any thread; a forked child, which
// has no such thread, gets a report that says so.
#pragma once

#include <memory>
#include <mutex>

#include "base/process/forks.hpp"
#include "recording/writing/document_thread.hpp"
#include "reel/capture_report.hpp"

namespace reel::capture {

class EndingDocument {
 public:
  // `report` has what is known by now.
  EndingDocument(std::unique_ptr<DocumentThread> document, CaptureReport report)
      : path_(report.path), document_(std::move(document)), report_(std::move(report)) {}

  const std::string& path() const noexcept { return path_; }
  bool is_finished() const noexcept {
    return !document_ || birth_.is_inherited() || document_->is_finished();
  }
  CaptureReport wait();

 private:
  const std::string path_;
  const std::unique_ptr<DocumentThread> document_;
  std::mutex mutex_;  // of what follows
  CaptureReport report_;
  bool is_waited_for_ = false;
  const Birth birth_;
};

}  // namespace reel::capture
