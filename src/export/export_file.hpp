// export_file.hpp - a file of text or packets that appears when it is whole.
//
// As private as the document that it tells of. What is no file, as /dev/stdout, is written to as it
// is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "document/files/output_file.hpp"
#include "reel/export.hpp"
#include "reel/trace.hpp"

namespace reel {

// A pipe, a device: not a file that could be made or replaced.
bool is_stream(const std::string& path);

class ExportFile {
 public:
  enum class Packing : std::uint8_t { none, gzip };

  // All of these throw io_failed, which names the file and says what the system said.
  ExportFile(const Trace& trace, const std::string& path, const ExportOptions& how,
             Packing packing = Packing::none);
  // The same of several documents: `mode` is what the file may at most be.
  ExportFile(unsigned mode, const std::string& path, const ExportOptions& how,
             Packing packing = Packing::none);
  ~ExportFile();

  void write(std::string_view bytes);
  // Everything is written, and the file has its name; without, there is none. The bytes it has.
  std::uint64_t keep();

 private:
  struct Gzip;
  void flush();
  void write_out(std::string_view bytes);

  std::string path_;
  std::unique_ptr<OutputFile> file_;
  int descriptor_ = -1;  // of what is no file
  std::uint64_t size_bytes_ = 0;
  std::string buffer_;
  std::unique_ptr<Gzip> gzip_;
};

}  // namespace reel
