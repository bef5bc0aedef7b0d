// kept.hpp - Python objects that C++ holds on to: memory of arrays that a device still reads into,
// functions that it will call.
//
// They may be let go on any thread, with or without the GIL.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "bind.hpp"

namespace reel::python {

using Kept = std::shared_ptr<PyObject>;

// With the GIL.
Kept keep(const py::handle& object);

// Kept until somebody has waited for the device.
class KeptList {
 public:
  // After the command that needs it was given: who takes the list then waits for that command.
  void add(Kept object);
  void add(const std::vector<Kept>& objects);
  std::vector<Kept> take();
  std::vector<Kept> copy() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Kept> list_;
};

// What commands that are being captured read into. Which capture a stream belongs to isn't told,
// so a graph keeps all that was given while its capture was active.
class CapturedReads {
 public:
  static CapturedReads& all();
  void begin();
  void add(Kept object);
  std::vector<Kept> end();

 private:
  std::mutex mutex_;
  int active_ = 0;
  std::vector<Kept> list_;
};

// While it lives, this thread holds the GIL to call Python. Throws where the interpreter is ending:
// taking the GIL would end the thread then.
class PythonCall {
 public:
  PythonCall();
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;

  // From now on none begins; waits some seconds for those under way.
  static void forbid();

 private:
  struct Entered {
    Entered();
    ~Entered();
  };
  Entered entered_;
  py::gil_scoped_acquire gil_;
};

// "ValueError: words"
std::string describe(const py::error_already_set& error);

}  // namespace reel::python
