// decoded.hpp - what protoc reads in a file, as a tree.
#pragma once

#include <string>
#include <vector>

namespace reel::test {

struct Decoded {
  std::string name, value;  // of a message `value` is empty
  std::vector<Decoded> fields;

  std::vector<const Decoded*> all(const std::string& field) const;
  bool has(const std::string& field) const { return !all(field).empty(); }
  // Of the only field of this name; what isn't there is "".
  const Decoded& operator[](const std::string& field) const;
  std::uint64_t number(const std::string& field) const;
  std::string text(const std::string& field) const;  // without quotes and escapes
  // A field that the .proto doesn't have: protoc prints its number.
  bool has_unknown() const;
};

bool has_protoc();
// Uncompresses what is gzip. Fails the test where protoc does.
Decoded decode(const std::string& file, const std::string& proto, const std::string& message);

std::string read_text(const std::string& path);
std::string read_gzip(const std::string& path);  // also what isn't compressed

}  // namespace reel::test
