// sample_document.hpp - documents written by hand, for tests of what reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "document/document_writer.hpp"

namespace reel::test {

// A name of its own in a folder of its own; removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::vector<std::byte> read_bytes(const std::string& path);
void write_bytes(const std::string& path, std::span<const std::byte> bytes);
std::span<const std::byte> bytes_of(std::string_view text);

// The hashes of a range's pages; `store` writes the pages into the document too.
std::vector<Hash128> pages_of(document::DocumentWriter& writer, std::span<const std::byte> bytes,
                              bool store = true);

inline constexpr std::uint64_t sample_start_ns = 1'000'000'000;
inline constexpr std::uint64_t sample_clock_lead_ns = 5'000'000;  // of the device's clock

// Kernel sources of the sample.
inline constexpr std::string_view sample_add_cl =
    "kernel void add(global const float* x, global float* y) {\n"
    "  y[get_global_id(0)] += x[get_global_id(0)];\n}\n";

// A document that has rows in every table; what is in it is listed in sample_document.cpp.
void write_sample(document::DocumentWriter& writer);
std::string write_sample(const std::string& path, bool close = true);

// One device, stream, kernel and buffer, and this many dispatches of 1 us each, 2 us apart.
void write_many(const std::string& path, std::uint32_t commands);

}  // namespace reel::test
