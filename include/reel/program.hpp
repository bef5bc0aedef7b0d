// program.hpp - a trace as a small program that stands alone, to be read, run and edited.
//
//   reel::write_program(reel::Trace::load("c12.reel"), reel::ProgramLanguage::python, "c12");
//
// Meant for a small trace: a command or a scope, with its inputs. The folder then holds main.cpp
// or main.py, the kernels as they were recorded, inputs and expected results, and a README.md that
// says how to build and run it. Nothing in it refers to the document. It does what a replay does,
// one command after the other, and leaves out what a replay leaves out. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel {

enum class ProgramLanguage : std::uint8_t {  // of what is written
  cpp,    // with this library, on any device that has the kernels' forms
  python  // with PyOpenCL and numpy; every kernel must have OpenCL C
};

struct ProgramReport {                // what was written
  std::vector<std::string> files;     // within the folder: "main.py", "kernels/add.cl", …
  std::vector<std::string> left_out;  // what the program doesn't do as recorded; a sentence each
};

// `folder` must not exist or be empty; after an error it is as it was. Throws unsupported, naming
// the command, kernel or buffer and why, where nothing worth running is left, and io_failed.
ProgramReport write_program(const Trace& trace, ProgramLanguage language,
                            const std::string& folder);

}  // namespace reel
