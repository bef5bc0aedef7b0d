// verifier.hpp - what was found against what was recorded, page by page.
//
// A page whose hash is the recorded one is equal. Of another one the bytes are compared, as numbers
// where their type is known: with the recorded bytes where the document has them, otherwise with
// those that a reference makes (settle).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "replay/compare.hpp"
#include "replay/script/writers.hpp"

namespace reel::rerun {

class Verifier {
 public:
  // `exact`: equal bytes are asked for where options give no tolerance.
  Verifier(const Trace& trace, ElementTypes elements, const ReplayOptions& options, bool exact);

  // Addresses of buffers in what is found are exchanged by to_recorded(bytes) for those that were
  // recorded; false: there are none. Differences of `doubtful` contents prove nothing.
  void expect_addresses(std::function<bool(std::span<std::byte>)> to_recorded,
                        std::set<std::uint32_t> doubtful) {
    to_recorded_ = std::move(to_recorded);
    doubtful_ = std::move(doubtful);
  }
  // A page of contents(), as found. Of runs after the first only what differs from the first is
  // looked at; it must hold as well, and is counted once.
  void page(std::uint32_t contents, std::uint32_t number, std::span<const std::byte> found);
  void next_run() { ++run_; }

  // Pages that differ, of which the document has the hash alone.
  struct Open {
    std::uint32_t contents, number, run;
    std::vector<std::byte> found;
  };
  const std::vector<Open>& open() const noexcept { return open_; }
  // Do these bytes have the recorded hash?
  bool is_recorded(std::uint32_t contents, std::uint32_t number,
                   std::span<const std::byte> bytes) const {
    return hash128(bytes) == recorded_hash(contents, number);
  }
  // Compares with the recorded bytes.
  void settle(const Open& open, std::span<const std::byte> expected);
  // Nobody can tell the recorded bytes of what is still open.
  void close();

  // Some page differs for certain.
  bool has_difference() const;
  // Of a check: every page was found equal or close.
  bool is_good(std::uint32_t contents) const;
  void report(ReplayReport& report) const;

 private:
  // The later, the worse; a check is as good as its worst page.
  enum class State : std::uint8_t { unseen, equal, close, unchecked, different };
  void compare_page(std::uint32_t contents, std::uint32_t number, std::uint32_t run,
                    std::span<const std::byte> expected, std::span<const std::byte> found);
  void worsen(std::uint32_t contents, State state);
  void unchecked(std::uint32_t contents, std::uint64_t bytes, const std::string& reason);
  void difference(Difference difference);
  BufferReport& buffer(std::uint32_t index);
  const Writers& writers() const;
  std::optional<ElementType> type_of(std::uint32_t contents, std::uint64_t begin,
                                     std::uint64_t end) const;
  std::optional<Tolerance> tolerance_for(const std::optional<ElementType>& type) const;
  Hash128 recorded_hash(std::uint32_t contents, std::uint32_t number) const;

  const Trace trace_;
  const ElementTypes elements_;
  const std::optional<Tolerance> tolerance_;
  const std::map<std::uint32_t, ElementType> types_;
  const bool exact_;
  std::function<bool(std::span<std::byte>)> to_recorded_;  // null: there are no addresses
  std::set<std::uint32_t> doubtful_;
  mutable std::optional<Writers> writers_;  // made when something differs
  std::uint32_t run_ = 0;
  std::vector<State> states_;   // by contents
  std::vector<Hash128> first_;  // by page: what the first run gave
  std::vector<bool> settled_;   // by open_
  std::vector<Open> open_;
  std::uint64_t open_bytes_ = 0;
  std::map<std::uint32_t, BufferReport> buffers_;
  std::map<std::string, Unchecked> unchecked_;
  std::vector<Difference> differences_;
  std::uint64_t checked_bytes_ = 0, equal_bytes_ = 0;
};

}  // namespace reel::rerun
