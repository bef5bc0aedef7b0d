// controller.hpp - begins and ends the captures of a process: by its window, by triggers, by the
// program's own wish.
//
// Any thread. A capture begins and ends under one lock; commands given meanwhile wait for a
// beginning, and pass by an end unrecorded. control.hpp has the one of the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "layers/control/document_names.hpp"
#include "layers/control/settings.hpp"
#include "layers/control/window.hpp"
#include "reel/capture_report.hpp"

namespace reel::layer {

// What became of a wish to begin or to end.
struct Outcome {
  enum class Kind { started, stopped, refused } kind = Kind::refused;
  std::string path;      // of the document
  std::string why;       // it was refused
  CaptureReport report;  // of what was stopped

  explicit operator bool() const { return kind != Kind::refused; }
};

class Controller {
 public:
  using Clock = std::uint64_t (*)() noexcept;

  // `same_run`: another process of this run may have the plain name already.
  Controller(Settings settings, bool same_run, Clock clock);

  void first_call();
  bool before_command();  // whether it began or ended a capture
  // The same of so many commands that are given together: they are captured together.
  bool before_submission(std::uint64_t count);
  void look();  // the time of next_look_ns() has come, or a trigger was requested
  Outcome trigger();
  void process_ends();

  // From inside the program. A path of its own, or empty: as set. It stops what it started: the
  // capture of whoever runs the program goes on.
  Outcome start(const std::string& path);
  Outcome stop();
  void set_path(const std::string& path);

  // What look() then does; safe in a signal handler.
  void request_trigger() noexcept { triggered_.store(true, std::memory_order_release); }

  bool selects(std::string_view kernel) const;
  bool is_armed() const { return armed_.load(std::memory_order_relaxed); }
  std::optional<std::uint64_t> next_look_ns() const;
  const Settings& settings() const { return settings_; }

 private:
  enum class Voice { aloud, silent };  // whether standard error hears of it

  Outcome act(Wish wish);
  bool act_on_request();
  bool open_document(DocumentNames& names, Outcome& outcome);
  Outcome begin(DocumentNames& names, Voice voice, bool open);
  Outcome end(Voice voice);
  void renew();
  void keep_what_was_done(CaptureReport& report);
  void say_what_never_happened() const;
  void tell_ended(const CaptureReport& report) const;
  void refresh();

  const Settings settings_;
  const Clock clock_;
  const bool same_run_;

  mutable std::mutex mutex_;  // of all that follows but the atomics
  Window window_;
  DocumentNames names_;
  std::string path_;                     // of the capture under way
  std::optional<CaptureReport> before_;  // --last: the part before this one
  bool closed_ = false;                  // the process ends
  bool tried_ = false;                   // one was begun, or it was said why not

  std::atomic<std::uint64_t> commands_{0};  // given so far
  std::atomic<std::uint64_t> submissions_{0};
  std::atomic<std::uint64_t> first_wanted_{0};  // no look before this one
  std::atomic<bool> ending_{false}, triggered_{false}, armed_{true};
};

}  // namespace reel::layer
