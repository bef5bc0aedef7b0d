#include "counting_session.hpp"

#include <cstdio>

#include "layers/session/session.hpp"

namespace reel::test {

CountingSession& CountingSession::instance() {
  static CountingSession session;
  return session;
}

}  // namespace reel::test

namespace reel::layer::session {
namespace {
test::CountingSession& counting() { return test::CountingSession::instance(); }
bool is_open() { return counting().is_open; }
}  // namespace

void set_attention(bool on) noexcept { counting().attention = on; }

void foreign_call(const capture::CallMessage&) noexcept {}

bool begin(const std::string& path, const std::string&, const Settings& settings,
           std::string& why) noexcept {
  why = counting().refusal;
  if (!why.empty()) return false;
  std::FILE* file = std::fopen(path.c_str(), settings.overwrite ? "w" : "wx");
  if (!file) {
    why = path + " can't be made.";
    return false;
  }
  std::fclose(file);
  counting().begun.push_back(path);
  counting().recorded = 0;
  counting().is_open = true;
  return true;
}

bool end(CaptureReport& report) noexcept {
  if (!is_open()) return false;
  report.path = counting().begun.back();
  report.commands = counting().recorded;
  counting().ended.push_back(report.path);
  counting().is_open = false;
  return true;
}

bool is_capturing() noexcept { return is_open(); }
std::uint64_t recorded_commands() noexcept { return counting().recorded; }
void push_scope(std::string_view) noexcept {}
void pop_scope() noexcept {}
bool label(const void*, std::string_view) noexcept { return false; }

}  // namespace reel::layer::session
