// trace_assembler.hpp - rows as the file has them in, rows that fit together out.
//
// Sorts, turns ids into indices, brings device times to the host's clock, and leaves out what
// doesn't fit. What comes out keeps every promise of reel/trace.hpp, whatever went in. One use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "document/trace/loading/blob_index.hpp"
#include "document/trace/loading/clock_map.hpp"
#include "document/trace/loading/id_index.hpp"
#include "document/trace/loading/problems.hpp"
#include "document/trace/trace_tables.hpp"

namespace reel::document {

class TraceAssembler {
 public:
  // Borrows `blobs` and `problems`.
  TraceAssembler(RawTables raw, const BlobIndex& blobs, Problems& problems)
      : raw_(std::move(raw)), rows_(raw_.rows), blobs_(blobs), problems_(problems) {}

  TraceTables assemble() &&;

 private:
  // What there is: trace_assembler.cpp.
  void index_texts();
  void index_devices();
  void index_streams();
  void index_buffers();
  void index_kernels();
  void fold_allocations();
  void check_works();
  bool fits_kind(const TraceWork& work) const;
  void check_contents();
  void check_edges();

  // What happened when: trace_times.cpp.
  void join_commands();
  void settle_totals(std::vector<ClockMap> clocks);
  void check_orders();
  void check_submissions();
  void place_intervals(std::vector<ClockMap>& clocks);
  void check_intervals();
  void check_barriers();
  void check_calls();
  void sort_spans();

  std::uint32_t text(std::uint32_t id);  // 0 where there is none
  const TraceArgument* arguments_of(const TraceWork& work) const {
    return rows_.arguments.data() + work.first_argument;
  }

  RawTables raw_;
  TraceTables& rows_;
  const BlobIndex& blobs_;
  Problems& problems_;
  IdIndex text_index_, device_index_, stream_index_, buffer_index_, kernel_index_, work_index_;
  std::vector<bool> work_is_whole_;
  std::uint64_t command_count_ = 0;
  std::uint64_t missing_texts_ = 0;
};

}  // namespace reel::document
