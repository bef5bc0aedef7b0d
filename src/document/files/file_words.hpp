// file_words.hpp - what errors say of files: the system's reason, and what something is.
#pragma once

#include <sys/stat.h>

#include <string>
#include <system_error>

namespace reel {

inline std::string reason(int error) { return std::generic_category().message(error); }

// Of something that is no regular file.
inline const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "something else";
}

}  // namespace reel
