// document_names.hpp - where each capture of a process goes.
//
//   out.reel            the first process of a run that captures, its first capture
//   out-2.reel          its second one
//   out.4711.reel       another process of the same run; out.4711-2.reel
//
// With %p or %n in the path, those say it. One thread at a time.
#pragma once

#include <cstdint>
#include <string>

namespace reel::layer {

class DocumentNames {
 public:
  // `shared`: other processes of the run may have taken the plain name, which is then no error.
  DocumentNames(std::string pattern, bool shared);

  // For the next capture. Throws Error for a pattern that is none.
  std::string next() const;
  // That one exists already. True: next() has another name now. False: there is no other.
  bool step_aside();
  void taken() { ++number_; }

  const std::string& pattern() const { return pattern_; }

 private:
  std::string pattern_;
  bool shared_, names_process_, names_number_;
  bool adds_process_ = false;
  std::uint32_t number_ = 1;
};

// "out.before.reel": `middle` in front of the extension.
std::string with_middle(const std::string& path, const std::string& middle);
// Where --last keeps the part before the final one.
std::string before_name(const std::string& path);

}  // namespace reel::layer
