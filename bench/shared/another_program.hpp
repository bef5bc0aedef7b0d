// another_program.hpp - this program once more, in a process of its own, talked to line by line.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

namespace bench {

class AnotherProgram {
 public:
  // `environment` is added, as "NAME=value".
  explicit AnotherProgram(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {});
  ~AnotherProgram();  // tells it that nothing more comes, and waits for its end
  AnotherProgram(const AnotherProgram&) = delete;
  AnotherProgram& operator=(const AnotherProgram&) = delete;

  void say(const std::string& line);
  std::string line();  // what it says next, without the end of the line

 private:
  pid_t process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace bench
