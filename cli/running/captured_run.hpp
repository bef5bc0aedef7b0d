// captured_run.hpp - what became of a program under `reel capture`: its processes and documents.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <reel/trace.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/running/launch_listener.hpp"

namespace reel::cli {

struct CapturedDocument {
  std::string path;
  pid_t process = 0;
  bool is_closed = false;         // its process said so
  bool is_recovered = false;      // it was cut short, and its index was written afterwards
  bool is_still_written = false;  // its process goes on
  std::uint64_t commands = 0, kernels = 0, bytes = 0;
  std::string apis;  // that the program used: "opencl, vulkan"
  std::string lost;  // what is missing, and why; empty: nothing
  std::vector<TraceNote> notes;
  std::string unreadable;  // why it can't be read; empty: it can
};

class CapturedRun {
 public:
  void hear(const LaunchMessage& message);

  // After the program's end: closes what was cut short, and looks into each document. `expected` is
  // where one would be even if nobody told of it; empty: not known. `put_in_place` gives a document
  // that nobody writes anymore its final name, and returns it.
  void finish(const std::string& expected,
              const std::function<std::string(const std::string&)>& put_in_place);

  bool is_loaded() const { return !loaded_.empty(); }
  bool has_called() const { return !called_.empty(); }
  // Commands that processes counted which recorded nothing.
  std::uint64_t commands_seen() const { return commands_seen_; }
  const std::vector<CapturedDocument>& documents() const { return documents_; }
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  CapturedDocument& document(const std::string& path, pid_t process);
  void exchange_for_fullest(CapturedDocument& asked);

  std::set<pid_t> loaded_, called_;
  std::uint64_t commands_seen_ = 0;
  std::vector<CapturedDocument> documents_;
  std::vector<std::string> refusals_;
};

}  // namespace reel::cli
