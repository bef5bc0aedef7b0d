// tampered.hpp - a copy of a document with something changed in it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/columns/rows.hpp"
#include "reel/trace.hpp"

namespace reel::test {

// Each is shown every row of its kind and may change it.
struct Tampering {
  std::function<void(document::KernelRow&)> kernel = {};
  // Bytes of a page of inputs or written contents.
  std::function<void(const TraceContents&, std::vector<std::byte>&)> page = {};
  // Of a work: its value bytes, all values one after the other, and its arguments.
  std::function<void(const TraceWork&, std::vector<TraceArgument>&, std::vector<std::byte>& values)>
      work = {};
  std::function<void(document::BufferRow&)> buffer = {};
  std::function<bool(const TraceOrder&)> drop_order = {};
  std::function<bool(const TraceEdge&)> drop_edge = {};
  std::function<bool(const TraceContents&)> drop_contents = {};
  bool only_hashes = false;  // of all contents
};

// The copy, loaded.
Trace tampered(const Trace& trace, const std::string& path, const Tampering& tampering);

}  // namespace reel::test
