#include "files_session.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "layers/session/session.hpp"

namespace reel::layer::session {
namespace {

namespace fs = std::filesystem;

std::atomic<std::uint32_t>& bits = detail::mode_bits;
std::atomic<std::uint64_t> recorded{0};
std::string& path_of_capture() {
  static std::string& path = *new std::string;
  return path;
}

fs::path sample(const char* name) {
  const char* folder = std::getenv("REEL_TEST_DOCUMENTS");
  return fs::path(folder ? folder : ".") / name;
}

}  // namespace

void set_attention(bool on) noexcept {
  if (on)
    bits |= attention;
  else
    bits &= ~attention;
}

bool begin(const std::string& path, const Settings&, std::string& why) noexcept {
  std::error_code error;
  if (!fs::copy_file(sample("open.reel"), path, error)) {
    why = "'" + path + "' can't be written: " + error.message() + ".";
    return false;
  }
  path_of_capture() = path;
  recorded = 0;
  bits |= recording;
  return true;
}

bool end(CaptureReport& report) noexcept {
  if (!(bits.load() & recording)) return false;
  bits &= ~recording;
  std::error_code error;
  // A test may say what the first document is.
  fs::rename(sample("first.reel"), path_of_capture(), error);
  if (error)
    fs::copy_file(sample("closed.reel"), path_of_capture(), fs::copy_options::overwrite_existing,
                  error);
  report.path = path_of_capture();
  report.commands = recorded;
  report.document_bytes = fs::file_size(report.path, error);
  if (error) report.lost = error.message();
  return true;
}

bool is_capturing() noexcept { return (bits.load() & recording) != 0; }
std::uint64_t recorded_commands() noexcept { return recorded.load(); }
void push_scope(std::string_view) noexcept {}
void pop_scope() noexcept {}
bool label(const void*, std::string_view) noexcept { return false; }

}  // namespace reel::layer::session

namespace reel::test {

void count_command() { ++layer::session::recorded; }
void forget_session() { layer::session::bits = 0; }

}  // namespace reel::test
