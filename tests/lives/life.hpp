// life.hpp - a program that forks, closes descriptors, ends threads and leaves at any moment.
//
// A program is text, one step a line, as tests/oracle has it: a thread, an operation, its words.
// The steps are done one after the other, each by its thread, so what is printed is the same every
// time; what was given to the device meanwhile goes on behind them.
//
//   open                     the device, a queue, a buffer
//   give N | pass N          so many kernels, most of them still to be compiled; nobody waits
//   hold | release           what is given from here on waits for the program; no longer
//   finish                   waits, and prints what is in the buffer
//   busy                     a thread that goes on giving, until the process is gone
//   file I N                 opens own file I as descriptor N
//   write I                  a line into it
//   close N | closefrom N | range N    one descriptor; all from N on, one by one or at once
//   descriptors              prints which there are
//   fork exit|_exit|exec|fresh|abort C [free]    a child, which ends so; the parent waits, or
//   doesn't capture start|stop       from inside, where somebody said where to unload releases
//   everything, and the library of the driver end                      this thread ends sleep MS
//   leave return|exit|_exit|quick_exit|abort|exec|kill|callback C
#pragma once

#include <string>
#include <vector>

#include "steps.hpp"

namespace lives {

class Work {
 public:
  virtual ~Work() = default;
  virtual void open() = 0;
  virtual void give(int kernels) = 0;
  virtual void pass(int kernels) = 0;
  virtual void hold() = 0;
  virtual void release() = 0;
  virtual std::string finish() = 0;
  virtual void give_on() = 0;  // for seconds, on a thread of its own
  virtual void unload() = 0;
  virtual void call_back(void (*function)()) = 0;  // when what was given is done
  virtual void capture(bool start) = 0;
};

// Returns what main() is to return. `words` are those of main().
int live(Work& work, char** words, const std::string& program);

}  // namespace lives
