#include "kept.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "reel/error.hpp"

namespace reel::python {
namespace {

std::atomic<bool> is_ending{false};
std::thread::id ending_thread;  // valid once is_ending
std::atomic<int> calls_under_way{0};
std::atomic<int> coming_back{0};  // threads that take the GIL back just now

[[noreturn]] void stay_for_ever() {
  for (;;) ::pause();
}

}  // namespace

GilReleased::GilReleased() : state_(PyEval_SaveThread()) {}

GilReleased::~GilReleased() {
  // First counted, then looked: who ends Python looks at the count after saying so.
  ++coming_back;
  if (is_ending && std::this_thread::get_id() != ending_thread) {
    --coming_back;
    stay_for_ever();
  }
  PyEval_RestoreThread(state_);
  --coming_back;
}

Kept keep(const py::handle& object) {
  Py_XINCREF(object.ptr());
  return {object.ptr(), [](PyObject* kept) {
            // An interpreter that ends takes its objects along.
            ++coming_back;
            if (!is_ending && Py_IsInitialized()) {
              const py::gil_scoped_acquire gil;
              Py_XDECREF(kept);
            }
            --coming_back;
          }};
}

void KeptList::add(Kept object) {
  const std::lock_guard lock(mutex_);
  list_.push_back(std::move(object));
}

void KeptList::add(const std::vector<Kept>& objects) {
  if (objects.empty()) return;
  const std::lock_guard lock(mutex_);
  list_.insert(list_.end(), objects.begin(), objects.end());
}

std::vector<Kept> KeptList::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(list_, {});
}

std::vector<Kept> KeptList::copy() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

CapturedReads& CapturedReads::all() {
  static auto* reads = new CapturedReads;  // never destroyed: Python may end after it
  return *reads;
}

void CapturedReads::begin() {
  const std::lock_guard lock(mutex_);
  ++active_;
}

void CapturedReads::add(Kept object) {
  const std::lock_guard lock(mutex_);
  list_.push_back(std::move(object));
}

std::vector<Kept> CapturedReads::end() {
  std::vector<Kept> result;
  const std::lock_guard lock(mutex_);
  result = list_;
  if (--active_ == 0) list_.clear();  // not the last references: `result` has them
  return result;
}

PythonCall::Entered::Entered() {
  ++calls_under_way;
  if (!is_ending) return;
  --calls_under_way;
  throw Error(Code::host_call_failed, "Python is ending, so its functions can't be called.");
}

PythonCall::Entered::~Entered() { --calls_under_way; }

PythonCall::PythonCall() = default;
PythonCall::~PythonCall() = default;

void PythonCall::forbid() {
  ending_thread = std::this_thread::get_id();
  is_ending = true;
  const GilReleased released;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while ((calls_under_way > 0 || coming_back > 0) && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::string describe(const py::error_already_set& error) {
  const std::string type = py::str(error.type().attr("__name__"));
  const std::string words = py::str(error.value() ? error.value() : py::none());
  return words.empty() ? type : type + ": " + words;
}

}  // namespace reel::python
