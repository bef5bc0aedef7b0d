// captured.hpp - a capture of what a test does, loaded.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "reel/capture.hpp"
#include "reel/trace.hpp"

namespace reel::test {

// A path in a folder of its own, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "reel_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path(const std::string& name = "x.reel") const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

// What `work` gives, as a document tells it. Fails the test where the document isn't whole.
template <class F>
Trace captured(F&& work, const CaptureOptions& options = {}) {
  const ScratchFolder folder;
  start_capture(folder.path(), options);
  work();
  const CaptureReport report = stop_capture();
  Trace trace = Trace::load(folder.path());
  EXPECT_TRUE(trace.is_complete());
  EXPECT_EQ(trace.problems(), std::vector<std::string>{});
  EXPECT_EQ(trace.commands().size(), report.commands);
  return trace;
}

inline std::vector<const TraceContents*> contents_of(const Trace& trace, ContentRole role) {
  std::vector<const TraceContents*> found;
  for (const TraceContents& contents : trace.contents())
    if (contents.role == role) found.push_back(&contents);
  return found;
}

inline std::uint64_t bytes_in(const std::vector<const TraceContents*>& list) {
  std::uint64_t total = 0;
  for (const TraceContents* contents : list) total += contents->size_bytes;
  return total;
}

}  // namespace reel::test
