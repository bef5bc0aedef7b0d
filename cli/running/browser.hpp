// browser.hpp - opens an address in the user's browser.
#pragma once

#include <string>
#include <utility>

namespace reel::cli {

// An address that is a secret. What a program is started with can be read by every user of the
// machine, so the browser is given a file that only we may read, and that sends it on to the
// address. The file goes with this object.
class BrowserLink {
 public:
  explicit BrowserLink(std::string url) : url_(std::move(url)) {}
  ~BrowserLink();
  BrowserLink(const BrowserLink&) = delete;
  BrowserLink& operator=(const BrowserLink&) = delete;

  // Empty when a browser was asked to; otherwise a sentence: why there was none.
  std::string open();

 private:
  bool write_file();

  std::string url_, path_;
};

}  // namespace reel::cli
