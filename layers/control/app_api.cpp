// app_api.cpp - include/reel_app.h for programs under the layer.
#include <cstring>
#include <string>

#include "base/clock.hpp"
#include "layers/control/control.hpp"
#include "layers/session/session.hpp"
#include "reel_app.h"

namespace reel::layer {
namespace {

// Plain memory: a thread may ask at its very end.
thread_local char last_refusal[512] = "";

int result_of(const Outcome& outcome) {
  last_refusal[0] = '\0';
  if (outcome) return REEL_APP_DONE;
  const char* why = outcome.why.empty() ? "Something unknown went wrong." : outcome.why.c_str();
  std::strncpy(last_refusal, why, sizeof last_refusal - 1);
  return REEL_APP_REFUSED;
}

const char* text_of(const char* text) { return text ? text : ""; }

int start(const char* path) { return result_of(control::start(text_of(path))); }
int stop() { return result_of(control::stop()); }
int trigger() { return result_of(control::trigger()); }
int is_capturing() { return session::is_capturing() ? 1 : 0; }
void push_scope(const char* name) { session::push_scope(text_of(name)); }
void pop_scope() { session::pop_scope(); }
void label(const void* object, const char* name) { session::label(object, text_of(name)); }

int set_path(const char* path) {
  last_refusal[0] = '\0';
  control::set_path(text_of(path));
  return REEL_APP_DONE;
}

const char* last_error() { return last_refusal; }

void call(const char* name, std::uint64_t begin_ns, std::uint64_t end_ns, int peer,
          std::uint64_t bytes) {
  if (!name) return;
  session::foreign_call({name, thread_number(), begin_ns, end_ns, capture::peer_of(peer), bytes});
}

constexpr reel_app_api api = {REEL_APP_VERSION,
                              sizeof(reel_app_api),
                              start,
                              stop,
                              trigger,
                              is_capturing,
                              push_scope,
                              pop_scope,
                              label,
                              set_path,
                              last_error,
                              call};

}  // namespace
}  // namespace reel::layer

extern "C" __attribute__((visibility("default"))) const reel_app_api* reel_app_get(
    std::uint32_t version) {
  return version == REEL_APP_VERSION ? &reel::layer::api : nullptr;
}
