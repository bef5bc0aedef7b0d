#include "decoded.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/run_program.hpp"

namespace reel::test {
namespace {

Decoded parse(std::istream& lines, std::string name) {
  Decoded message{std::move(name), {}, {}};
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    line.erase(0, begin);
    if (line == "}") return message;
    if (line.ends_with(" {")) {
      message.fields.push_back(parse(lines, line.substr(0, line.size() - 2)));
    } else {
      const auto colon = line.find(": ");
      message.fields.push_back({line.substr(0, colon), line.substr(colon + 2), {}});
    }
  }
  return message;
}

}  // namespace

std::vector<const Decoded*> Decoded::all(const std::string& field) const {
  std::vector<const Decoded*> found;
  for (const Decoded& f : fields)
    if (f.name == field) found.push_back(&f);
  return found;
}

const Decoded& Decoded::operator[](const std::string& field) const {
  static const Decoded nothing;
  const auto found = all(field);
  return found.empty() ? nothing : *found.front();
}

std::uint64_t Decoded::number(const std::string& field) const {
  const std::string& digits = (*this)[field].value;
  return digits.empty() ? 0 : std::stoull(digits);
}

std::string Decoded::text(const std::string& field) const {
  const std::string& quoted = (*this)[field].value;
  std::string result;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      result += quoted[i];
    } else if (std::isdigit(static_cast<unsigned char>(quoted[i + 1]))) {
      result += static_cast<char>(std::stoi(quoted.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      const char c = quoted[++i];
      result += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
    }
  }
  return result;
}

bool Decoded::has_unknown() const {
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) return true;
  for (const Decoded& field : fields)
    if (field.has_unknown()) return true;
  return false;
}

bool has_protoc() { return run_program({"/bin/sh", "-c", "command -v protoc"}).exit_code == 0; }

Decoded decode(const std::string& file, const std::string& proto, const std::string& message) {
  const std::string plain = file + ".plain";
  std::ofstream(plain, std::ios::binary) << read_gzip(file);
  const Outcome run =
      run_program({"/bin/sh", "-c",
                   "exec protoc --decode=" + message + " --proto_path=" REEL_PROTOS " " + proto +
                       " < '" + plain + "'"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  std::istringstream lines(run.out);
  return parse(lines, "");
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string read_gzip(const std::string& path) {
  std::string text, piece(1 << 16, '\0');
  gzFile file = gzopen(path.c_str(), "rb");
  EXPECT_NE(file, nullptr) << path;
  for (int count; (count = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0;)
    text.append(piece, 0, static_cast<std::size_t>(count));
  gzclose(file);
  return text;
}

}  // namespace reel::test
