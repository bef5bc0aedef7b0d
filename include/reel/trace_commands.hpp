// trace_commands.hpp - the two lists of a trace that may have many millions of rows.
//
//   for (const reel::TraceCommand& command : trace.commands()) …
//   trace.commands()[12].started_ns
//
// They are kept packed, some twenty bytes a command, and a row is made when it is asked for: it is
// a value, and never a reference into the list. Immutable, any thread; as cheap to copy as a
// pointer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reel/packed_rows.hpp"

namespace reel {

inline constexpr std::uint32_t no_index = ~std::uint32_t{0};  // of an index: there is none

struct TraceCommand {               // one command that ran
  std::uint32_t work = no_index;    // index in works(), always
  std::uint32_t stream = no_index;  // index in streams(), always
  std::uint32_t launch = no_index;  // index of the command that launched it: a smaller one
  std::uint32_t node = no_index;    // its number in that graph
  std::uint32_t thread = 0;
  std::uint64_t call_begin_ns = 0, call_end_ns = 0;
  // 0: not known, never invented.
  std::uint64_t queued_ns = 0, submitted_ns = 0, started_ns = 0, ended_ns = 0;

  // Whether the device said when it started and ended.
  bool has_run_times() const noexcept { return started_ns != 0 && ended_ns != 0; }
  std::uint64_t run_ns() const noexcept {  // 0 where unknown
    return has_run_times() && ended_ns > started_ns ? ended_ns - started_ns : 0;
  }
};

struct TraceCall {         // one call of the program
  std::uint32_t name = 0;  // text
  std::uint32_t thread = 0;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint32_t command = no_index;
  // Of a call of MPI: the rank it sends to, receives from or is the root, and the bytes that this
  // process gives and takes by it. None and 0 elsewhere.
  std::uint32_t peer = no_index;
  std::uint64_t bytes = 0;
};

// Goes over a list whose rows are values.
template <class List, class Row>
class RowIterator {
 public:
  using value_type = Row;
  using reference = Row;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;  // what a value is to the algorithms of C++17
  using iterator_concept = std::random_access_iterator_tag;
  struct pointer {
    Row row;
    const Row* operator->() const noexcept { return &row; }
  };

  RowIterator() = default;
  RowIterator(const List& list, std::size_t at)
      : list_(&list), at_(static_cast<difference_type>(at)) {}

  [[gnu::always_inline]] Row operator*() const { return (*list_)[static_cast<std::size_t>(at_)]; }
  [[gnu::always_inline]] pointer operator->() const { return {**this}; }
  Row operator[](difference_type by) const { return *(*this + by); }

  RowIterator& operator+=(difference_type by) { return at_ += by, *this; }
  RowIterator& operator-=(difference_type by) { return at_ -= by, *this; }
  RowIterator& operator++() { return *this += 1; }
  RowIterator& operator--() { return *this -= 1; }
  RowIterator operator++(int) { return std::exchange(*this, *this + 1); }
  RowIterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend RowIterator operator+(RowIterator a, difference_type by) { return a += by; }
  friend RowIterator operator+(difference_type by, RowIterator a) { return a += by; }
  friend RowIterator operator-(RowIterator a, difference_type by) { return a -= by; }
  friend difference_type operator-(const RowIterator& a, const RowIterator& b) {
    return a.at_ - b.at_;
  }
  friend bool operator==(const RowIterator& a, const RowIterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const RowIterator& a, const RowIterator& b) {
    return a.at_ <=> b.at_;  // NOLINT(modernize-use-nullptr): clang-tidy 14 takes its 0 for one
  }

 private:
  const List* list_ = nullptr;
  difference_type at_ = 0;
};

class TraceCommands {
 public:
  // A time is kept as its distance from the one named before it, known or not.
  enum Column : std::uint8_t {
    work,
    stream,
    launch,
    node,
    thread,
    call_begin,
    call_end,
    known,   // bit 0 queued, 1 submitted, 2 started, 3 ended
    queued,  // from call_begin on
    submitted,
    started,
    ended
  };
  using Rows = PackedRows<12>;
  using value_type = TraceCommand;
  using const_iterator = RowIterator<TraceCommands, TraceCommand>;

  TraceCommands() = default;
  explicit TraceCommands(std::shared_ptr<const Rows> rows) : rows_(std::move(rows)) {}

  std::size_t size() const noexcept { return rows_ ? rows_->size() : 0; }
  bool empty() const noexcept { return size() == 0; }

  // Always inlined, with all that it calls: who asks for one number of a row then reads that one
  // alone, in 3 ns in place of 11. A compiler that has many functions before it stops inlining by
  // itself.
  [[gnu::always_inline]] TraceCommand operator[](std::size_t i) const noexcept {
    TraceCommand command;
    command.work = index(i, work);
    command.stream = index(i, stream);
    command.launch = index(i, launch);
    command.node = index(i, node);
    command.thread = index(i, thread);
    const std::uint64_t call_begin_ns = rows_->at(i, call_begin);
    command.call_begin_ns = call_begin_ns;
    command.call_end_ns = call_begin_ns + rows_->at(i, call_end);
    const std::uint64_t are_known = rows_->at(i, known);
    const std::uint64_t queued_ns = call_begin_ns + rows_->at(i, queued);
    const std::uint64_t submitted_ns = queued_ns + rows_->at(i, submitted);
    const std::uint64_t started_ns = submitted_ns + rows_->at(i, started);
    const std::uint64_t ended_ns = started_ns + rows_->at(i, ended);
    command.queued_ns = are_known & 1U ? queued_ns : 0;
    command.submitted_ns = are_known & 2U ? submitted_ns : 0;
    command.started_ns = are_known & 4U ? started_ns : 0;
    command.ended_ns = are_known & 8U ? ended_ns : 0;
    return command;
  }
  TraceCommand at(std::size_t i) const {
    if (i >= size()) throw std::out_of_range("TraceCommands::at");
    return (*this)[i];
  }
  TraceCommand front() const noexcept { return (*this)[0]; }
  TraceCommand back() const noexcept { return (*this)[size() - 1]; }
  const_iterator begin() const noexcept { return {*this, 0}; }
  const_iterator end() const noexcept { return {*this, size()}; }

 private:
  [[gnu::always_inline]] std::uint32_t index(std::size_t i, Column column) const noexcept {
    return static_cast<std::uint32_t>(rows_->at(i, column));
  }

  std::shared_ptr<const Rows> rows_;
};

// By begin: calls that were recorded as such, and those that gave commands, which are not kept
// twice.
class TraceCalls {
 public:
  using value_type = TraceCall;
  using const_iterator = RowIterator<TraceCalls, TraceCall>;
  struct Word {
    std::uint64_t of_commands = 0;      // bit i: the i-th of 64 calls gave a command
    std::uint32_t commands_before = 0;  // of all words before
  };
  struct Parts {
    TraceCommands commands;
    std::vector<std::uint32_t>
        given;                      // commands by the begin of their calls; none: all, as they are
    std::vector<TraceCall> others;  // by begin
    std::vector<Word> words;
    std::vector<std::uint32_t> names;  // of calls that give a work: texts
    std::size_t size = 0;
  };

  TraceCalls() = default;
  explicit TraceCalls(Parts parts) : parts_(std::make_shared<const Parts>(std::move(parts))) {}

  std::size_t size() const noexcept { return parts_ ? parts_->size : 0; }
  bool empty() const noexcept { return size() == 0; }

  [[gnu::always_inline]] TraceCall operator[](std::size_t i) const noexcept {
    const Word& word = parts_->words[i / 64];
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const std::size_t before =
        word.commands_before +
        static_cast<std::size_t>(std::popcount(word.of_commands & (bit - 1)));
    if ((word.of_commands & bit) == 0) return parts_->others[i - before];
    const std::size_t c = parts_->given.empty() ? before : parts_->given[before];
    const TraceCommand command = parts_->commands[c];
    return {parts_->names[command.work], command.thread, command.call_begin_ns, command.call_end_ns,
            static_cast<std::uint32_t>(c)};
  }
  // The first call from `i` on that isn't kept as that of a command; size() where there is none. Of
  // most documents nearly all calls are, and are skipped 64 at a time.
  std::size_t next_other(std::size_t i) const noexcept {
    while (i < size()) {
      const std::uint64_t others = ~parts_->words[i / 64].of_commands >> (i % 64);
      if (others != 0)
        return std::min(i + static_cast<std::size_t>(std::countr_zero(others)), size());
      i += 64 - i % 64;
    }
    return size();
  }
  TraceCall at(std::size_t i) const {
    if (i >= size()) throw std::out_of_range("TraceCalls::at");
    return (*this)[i];
  }
  TraceCall front() const noexcept { return (*this)[0]; }
  TraceCall back() const noexcept { return (*this)[size() - 1]; }
  const_iterator begin() const noexcept { return {*this, 0}; }
  const_iterator end() const noexcept { return {*this, size()}; }

 private:
  std::shared_ptr<const Parts> parts_;
};

}  // namespace reel
