// command_joiner.hpp - rows of commands and of stamps in, in any order; one list of commands out.
//
// Ids are contiguous: the list ends before the first one that is missing. It has indices in place
// of ids, and times on the host's clock. Takes both lists apart while it goes, so that they aren't
// all there twice. One use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "document/trace/loading/clock_map.hpp"
#include "document/trace/loading/id_index.hpp"
#include "document/trace/loading/problems.hpp"
#include "document/trace/trace_tables.hpp"

namespace reel::document {

class CommandJoiner {
 public:
  // Where the ids of a command lead.
  struct Indices {
    const IdIndex& works;
    const IdIndex& streams;
    const std::vector<bool>& work_is_whole;  // by index
  };

  // Borrows all but the clocks, which are those of rows.devices.
  CommandJoiner(RawTables& raw, const TraceTables& rows, Indices indices,
                std::vector<ClockMap> clocks, Problems& problems)
      : raw_(raw),
        rows_(rows),
        indices_(indices),
        clocks_(std::move(clocks)),
        problems_(problems),
        unplaced_(rows.devices.size()) {}

  TraceCommands join() &&;

 private:
  struct Row;

  void find_commands();
  void find_stamps();
  bool read(std::uint32_t command, Row& row);  // false: this one and all behind it are left out
  void place_times(std::uint32_t command, Row& row);
  void tell_left_out() const;
  void tell_untimed() const;

  RawTables& raw_;
  const TraceTables& rows_;
  Indices indices_;
  std::vector<ClockMap> clocks_;
  Problems& problems_;
  RowPacker<12> joined_;

  // By command: where its row is. Empty where rows are in place already.
  std::vector<std::uint32_t> command_places_, stamp_places_;
  std::vector<std::uint32_t> stamped_again_;  // commands
  std::uint64_t stamps_of_none_ = 0;          // of ids that no row of a command can have
  std::string_view end_reason_ = "a command before them is missing";
  std::vector<std::uint64_t> unplaced_;  // by device
  std::uint64_t out_of_time_ = 0, calls_that_end_early_ = 0;
};

}  // namespace reel::document
