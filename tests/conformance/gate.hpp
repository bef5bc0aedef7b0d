// gate.hpp - holds a stream where it is until the test lets it go on.
//
// What comes after the gate can't run before open(), so tests of order need no sleeping.
// Declare it after the stream: the destructor opens it, also when an assertion returns early.
#pragma once

#include <future>

#include "reel/stream.hpp"

namespace reel::test {

class Gate {
 public:
  explicit Gate(const Stream& stream) {
    stream.host_call([opened = opened_.get_future().share()] { opened.wait(); }, "gate");
    stream.flush();
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() {
    if (!open_) opened_.set_value();
    open_ = true;
  }

 private:
  std::promise<void> opened_;
  bool open_ = false;
};

}  // namespace reel::test
