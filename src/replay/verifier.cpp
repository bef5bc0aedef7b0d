#include "replay/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "document/trace/image_elements.hpp"

namespace reel::rerun {

namespace {

// Found bytes kept until a reference makes the recorded ones.
constexpr std::uint64_t most_open_bytes = std::uint64_t{512} << 20;
constexpr std::size_t most_differences = 100;

// As addresses of a process of 64 bits do: above 1 TiB, below the half that is the system's.
bool looks_like_address(std::span<const std::byte> bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word >= std::uint64_t{1} << 40 && word < std::uint64_t{1} << 47;
}

// Every word that differs was an address when recorded and is another one now.
bool are_addresses(std::span<const std::byte> expected, std::span<const std::byte> found,
                   const std::vector<ByteSpan>& different) {
  for (const ByteSpan& range : different)
    for (std::uint64_t at = range.begin / 8 * 8; at < range.end; at += 8) {
      if (at + 8 > expected.size()) return false;
      const auto was = expected.subspan(at, 8), is = found.subspan(at, 8);
      if (std::ranges::equal(was, is)) continue;
      if (!looks_like_address(was) || !looks_like_address(is)) return false;
    }
  return !different.empty();
}

}  // namespace

Verifier::Verifier(const Trace& trace, ElementTypes elements, const ReplayOptions& options,
                   bool exact)
    : trace_(trace),
      elements_(std::move(elements)),
      tolerance_(options.tolerance),
      types_(options.types),
      exact_(exact),
      states_(trace.contents().size(), State::unseen) {
  std::size_t pages = 0;
  for (const TraceContents& row : trace.contents())
    pages = std::max<std::size_t>(pages, std::size_t{row.first_page} + row.page_count);
  first_.resize(pages);
}

Hash128 Verifier::recorded_hash(std::uint32_t contents, std::uint32_t number) const {
  const BlobId id = trace_.pages(trace_.contents()[contents])[number];
  return {id.low, id.high};
}

BufferReport& Verifier::buffer(std::uint32_t index) {
  BufferReport& report = buffers_[index];
  report.buffer = index;
  return report;
}

const Writers& Verifier::writers() const {
  if (!writers_) writers_.emplace(trace_, elements_);
  return *writers_;
}

void Verifier::worsen(std::uint32_t contents, State state) {
  states_[contents] = std::max(states_[contents], state);
}

void Verifier::page(std::uint32_t contents, std::uint32_t number,
                    std::span<const std::byte> found) {
  const TraceContents& row = trace_.contents()[contents];
  Hash128 hash = hash128(found);
  std::vector<std::byte> recorded_form;
  if (to_recorded_ && hash != recorded_hash(contents, number)) {
    recorded_form.assign(found.begin(), found.end());
    if (to_recorded_(recorded_form)) {
      found = recorded_form;
      hash = hash128(found);
    }
  }
  Hash128& first = first_[row.first_page + number];
  BufferReport& report = buffer(row.buffer);
  if (run_ > 0) {
    if (hash == first) return;
    report.same_in_every_run = false;
  } else {
    first = hash;
    if (states_[contents] == State::unseen) ++report.checks;
  }
  if (hash == recorded_hash(contents, number)) {
    worsen(contents, State::equal);
    if (run_ > 0) return;
    report.equal_bytes += found.size();
    checked_bytes_ += found.size();
    equal_bytes_ += found.size();
    return;
  }
  if (doubtful_.contains(contents)) {
    unchecked(contents, found.size(),
              "differs, and was perhaps computed from addresses as numbers, which are others in "
              "another process");
    return;
  }
  // An address that lies across two pages is not seen.
  if (to_recorded_ && row.offset_bytes % 8 != 0 && row.page_count > 1) {
    unchecked(contents, found.size(), "differs, and may have addresses between two pages");
    return;
  }
  if (row.stored) {
    if (const auto expected = trace_.page(row, number))
      compare_page(contents, number, run_, *expected, found);
    else
      unchecked(contents, found.size(), "the recorded bytes are damaged");
    return;
  }
  worsen(contents, State::equal);  // until it is settled
  const bool keep = open_bytes_ + found.size() <= most_open_bytes;
  if (keep) open_bytes_ += found.size();
  open_.push_back({contents, number, run_,
                   keep ? std::vector(found.begin(), found.end()) : std::vector<std::byte>()});
  settled_.push_back(false);
}

void Verifier::settle(const Open& open, std::span<const std::byte> expected) {
  const auto index = static_cast<std::size_t>(&open - open_.data());
  if (settled_[index] || open.found.size() != expected.size()) return;
  settled_[index] = true;
  compare_page(open.contents, open.number, open.run, expected, open.found);
}

void Verifier::close() {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (settled_[i]) continue;
    settled_[i] = true;
    const Open& open = open_[i];
    const TraceContents& row = trace_.contents()[open.contents];
    const std::uint64_t at = row.offset_bytes + open.number * page_bytes;
    const std::uint64_t size = std::min(page_bytes, row.offset_bytes + row.size_bytes - at);
    if (!exact_ || tolerance_) {
      unchecked(
          open.contents, size,
          "differs from the recorded hash, and the recorded bytes are neither in the document "
          "(contents 'all' keeps them) nor can they be made again here");
      continue;
    }
    worsen(open.contents, State::different);
    if (open.run == 0) {
      buffer(row.buffer).different_bytes += size;
      checked_bytes_ += size;
    }
    difference({.command = writers().last(row.buffer, at, at + size, row.command),
                .check = row.command,
                .buffer = row.buffer,
                .offset_bytes = at,
                .type = type_of(open.contents, at, at + size),
                .expected = {},
                .found = {},
                .elements = 0});
  }
}

void Verifier::unchecked(std::uint32_t contents, std::uint64_t bytes, const std::string& reason) {
  worsen(contents, State::unchecked);
  Unchecked& entry = unchecked_[reason];
  entry.reason = reason;
  ++entry.checks;
  entry.bytes += bytes;
  buffer(trace_.contents()[contents].buffer).unchecked_bytes += bytes;
}

std::optional<ElementType> Verifier::type_of(std::uint32_t contents, std::uint64_t begin,
                                             std::uint64_t end) const {
  const TraceContents& row = trace_.contents()[contents];
  if (const auto given = types_.find(row.buffer); given != types_.end()) return given->second;
  if (const auto& image = trace_.buffers()[row.buffer].image) return element_of(*image);
  return writers().type(row.buffer, begin, end, row.command);
}

std::optional<Tolerance> Verifier::tolerance_for(const std::optional<ElementType>& type) const {
  if (tolerance_) return tolerance_;
  if (exact_ || !type) return std::nullopt;
  return default_tolerance(*type);
}

void Verifier::compare_page(std::uint32_t contents, std::uint32_t number, std::uint32_t run,
                            std::span<const std::byte> expected, std::span<const std::byte> found) {
  const TraceContents& row = trace_.contents()[contents];
  const std::uint64_t page = row.offset_bytes + number * page_bytes;
  const auto type = type_of(contents, page, page + found.size());
  const Comparison result = compare(expected, found, type, tolerance_for(type));
  BufferReport& report = buffer(row.buffer);
  if (type) report.type = type;
  if (run == 0) {
    report.equal_bytes += result.equal_bytes;
    report.close_bytes += result.close_bytes;
    report.different_bytes += result.different_bytes;
    checked_bytes_ += found.size();
    equal_bytes_ += result.equal_bytes;
  }
  report.largest_absolute = std::max(report.largest_absolute, result.largest_absolute);
  report.largest_relative = std::max(report.largest_relative, result.largest_relative);
  report.largest_ulp = std::max(report.largest_ulp, result.largest_ulp);
  if (result.different.empty()) {
    worsen(contents, State::close);
    return;
  }
  worsen(contents, State::different);
  // The earliest of those who wrote what differs.
  std::uint32_t command = no_index;
  std::uint64_t at = result.different.front().begin;
  for (const ByteSpan& range : result.different) {
    const auto [writer, offset] =
        writers().earliest(row.buffer, page + range.begin, page + range.end, row.command);
    if (writer == no_index || (command != no_index && writer >= command)) continue;
    command = writer;
    at = offset - page;
  }
  const std::size_t step = type ? size_of(*type) : 1;
  at -= at % step;
  const std::size_t size = std::min<std::size_t>(step, found.size() - at);
  const auto text = [&](std::span<const std::byte> bytes) {
    return element_text(size == step && type ? *type : ElementType::hex,
                        size == step && type ? bytes.subspan(at, size) : bytes.subspan(at, 1));
  };
  difference({.command = command,
              .check = row.command,
              .buffer = row.buffer,
              .offset_bytes = page + at,
              .type = type,
              .expected = text(expected),
              .found = text(found),
              .elements = result.different_elements,
              .hint = are_addresses(expected, found, result.different)
                          ? "All that differs look like addresses, which are others in each "
                            "process: the program stores pointers as data."
                          : ""});
}

void Verifier::difference(Difference difference) {
  if (difference.command == no_index)
    difference.command = writers().last(difference.buffer, difference.offset_bytes,
                                        difference.offset_bytes + 1, difference.check);
  differences_.push_back(std::move(difference));
}

bool Verifier::has_difference() const {
  return !open_.empty() ||
         std::find(states_.begin(), states_.end(), State::different) != states_.end();
}

bool Verifier::is_good(std::uint32_t contents) const {
  return states_[contents] == State::equal || states_[contents] == State::close;
}

void Verifier::report(ReplayReport& report) const {
  for (const State state : states_) {
    if (state == State::unseen) continue;
    ++report.checks;
    report.equal_checks += state == State::equal;
    report.close_checks += state == State::close;
    report.different_checks += state == State::different;
  }
  report.checked_bytes = checked_bytes_;
  report.equal_bytes = equal_bytes_;
  for (const auto& [reason, entry] : unchecked_) report.unchecked.push_back(entry);
  for (const auto& [index, entry] : buffers_) {
    report.buffers.push_back(entry);
    if (!entry.same_in_every_run) report.unsteady.push_back(index);
  }
  report.differences = differences_;
  std::stable_sort(report.differences.begin(), report.differences.end(),
                   [](const Difference& a, const Difference& b) {
                     return a.command != b.command ? a.command < b.command : a.check < b.check;
                   });
  if (report.differences.size() > most_differences) report.differences.resize(most_differences);
}

}  // namespace reel::rerun
