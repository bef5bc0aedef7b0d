// page_documents.hpp - documents that a page might stumble over.
#pragma once

#include <string>

namespace reel::test {

// Labels, scopes, kernels, facts: each has this in it.
inline const std::string hostile =
    "</script><script>alert(1)</script><!-- \" ' & \\ \n\t\x01\x7f \xff\xc0\xaf \xed\xa0\x80 end";

std::string write_hostile(const std::string& path);
std::string write_empty(const std::string& path);                    // nothing ran
std::string write_one(const std::string& path, bool stamps = true);  // one command
std::string write_images(const std::string& path);                   // one, and one of no format
std::string write_cut(const std::string& path);                      // half of a sample
// So many streams, a command each.
std::string write_streams(const std::string& path, unsigned streams);

}  // namespace reel::test
