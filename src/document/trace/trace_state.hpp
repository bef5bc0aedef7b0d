// trace_state.hpp - what copies of a Trace share: the file, and what was read from it.
//
// Immutable once loaded; the list of calls is made when first asked for.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "document/files/open_file.hpp"
#include "document/trace/loading/blob_index.hpp"
#include "document/trace/trace_tables.hpp"

namespace reel {

struct TraceState {
  explicit TraceState(const std::string& path_) : path(path_), file(path_) {}

  std::string path;
  OpenFile file;
  bool is_complete = false;
  std::vector<std::string> problems;
  std::map<std::string, std::string> facts, run_facts, end_facts;
  document::BlobIndex blobs;
  document::TraceTables tables;

  mutable std::once_flag calls_are_listed;
  mutable std::vector<TraceCall> recorded_calls;  // until they are in the list
  mutable TraceCalls calls;
};

}  // namespace reel
