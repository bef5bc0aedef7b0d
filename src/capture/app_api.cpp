// app_api.cpp - include/reel_app.h for programs that use libreel: its own capture, from C.
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "capture/active_capture.hpp"
#include "capture/environment.hpp"
#include "reel/capture.hpp"
#include "reel_app.h"

namespace reel {
namespace {

thread_local char last_refusal[512] = "";

// The calls of C can't throw: what does is kept for last_error().
template <class Work>
int done_or_refused(const Work& work) noexcept {
  last_refusal[0] = '\0';
  try {
    work();
    return REEL_APP_DONE;
  } catch (const std::exception& error) {
    std::strncpy(last_refusal, error.what(), sizeof last_refusal - 1);
  } catch (...) {
    std::strncpy(last_refusal, "Something unknown went wrong.", sizeof last_refusal - 1);
  }
  return REEL_APP_REFUSED;
}

std::mutex path_mutex;
std::string& chosen_path() {
  static std::string& path = *new std::string;  // there until the process is gone
  return path;
}

// To the path given, else the one set, else as the environment asks.
void start_at(const char* path) {
  std::string to = path ? path : "";
  if (to.empty()) {
    const std::lock_guard lock(path_mutex);
    to = chosen_path();
  }
  if (!to.empty()) return start_capture(to);
  const auto wish = capture::read_environment();
  start_capture(wish ? wish->path : "", wish ? wish->options : CaptureOptions{});
}

int start(const char* path) {
  return done_or_refused([&] { start_at(path); });
}
int stop() {
  return done_or_refused([] { static_cast<void>(stop_capture()); });
}
int trigger() {
  return done_or_refused([] {
    if (is_capturing())
      static_cast<void>(stop_capture());
    else
      start_at(nullptr);
  });
}
int capturing() { return is_capturing() ? 1 : 0; }

// Streams carry scopes of their own here, so a thread's become named regions of the document.
struct OpenScope {
  std::string name;
  std::uint64_t begin_ns = 0;
};
thread_local std::vector<OpenScope> open_scopes;

void push_scope(const char* name) {
  done_or_refused([&] {
    std::string full = open_scopes.empty() ? "" : open_scopes.back().name + '/';
    open_scopes.push_back({full + (name ? name : ""), monotonic_ns()});
  });
}
void pop_scope() {
  if (open_scopes.empty()) return;
  const OpenScope& ending = open_scopes.back();
  capture::record_region(TraceRegion::Kind::named, 0, ending.name, ending.begin_ns);
  open_scopes.pop_back();
}

void label(const void*, const char*) {}

int set_path(const char* path) {
  return done_or_refused([&] {
    const std::lock_guard lock(path_mutex);
    chosen_path() = path ? path : "";
  });
}
const char* last_error() { return last_refusal; }

void call(const char* name, std::uint64_t begin_ns, std::uint64_t end_ns, int peer,
          std::uint64_t bytes) {
  if (!name) return;
  capture::record_foreign_call(
      {name, thread_number(), begin_ns, end_ns, capture::peer_of(peer), bytes});
}

constexpr reel_app_api api = {REEL_APP_VERSION,
                              sizeof(reel_app_api),
                              start,
                              stop,
                              trigger,
                              capturing,
                              push_scope,
                              pop_scope,
                              label,
                              set_path,
                              last_error,
                              call};

}  // namespace
}  // namespace reel

extern "C" __attribute__((visibility("default"))) const reel_app_api* reel_app_get(
    std::uint32_t version) {
  return version == REEL_APP_VERSION ? &reel::api : nullptr;
}
