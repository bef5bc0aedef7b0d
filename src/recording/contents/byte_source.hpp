// byte_source.hpp - bytes that the host gives, one after the other, whatever they lie in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace reel::capture {

// Rows of a box in linear memory, those that touch merged into one.
struct Box {
  std::uint64_t offset_bytes = 0;  // of its first byte
  std::uint64_t row_bytes = 0, rows = 1, slices = 1;
  std::uint64_t row_pitch = 0, slice_pitch = 0;

  // visit(offset, size), in order.
  template <class F>
  void for_each_run(F&& visit) const {
    if (row_bytes == 0 || rows == 0 || slices == 0) return;
    const bool rows_touch = rows == 1 || row_pitch == row_bytes;
    const std::uint64_t slice_bytes = rows_touch ? rows * row_bytes : row_bytes;
    if (rows_touch && (slices == 1 || slice_pitch == slice_bytes)) {
      visit(offset_bytes, slices * slice_bytes);
      return;
    }
    for (std::uint64_t z = 0; z < slices; ++z) {
      const std::uint64_t at = offset_bytes + z * slice_pitch;
      if (rows_touch)
        visit(at, slice_bytes);
      else
        for (std::uint64_t y = 0; y < rows; ++y) visit(at + y * row_pitch, row_bytes);
    }
  }
  std::uint64_t end_bytes() const noexcept;  // past the last byte
  // Is each within `size_bytes`?
  bool fits(std::uint64_t size_bytes) const noexcept;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual void take(std::span<std::byte> target) = 0;
  // The next ones where they lie, in place of taking them. Null: they don't lie together, and none
  // are taken.
  virtual const std::byte* lend(std::uint64_t /*size_bytes*/) { return nullptr; }
};

// The rows of a box of host memory.
class BoxSource final : public ByteSource {
 public:
  BoxSource(const void* base, const Box& box)
      : base_(static_cast<const std::byte*>(base)), box_(box) {}

  void take(std::span<std::byte> target) override {
    while (!target.empty() && slice_ < box_.slices) {
      const std::byte* row =
          base_ + box_.offset_bytes + slice_ * box_.slice_pitch + row_ * box_.row_pitch;
      const auto size = std::min<std::uint64_t>(target.size(), box_.row_bytes - at_);
      std::memcpy(target.data(), row + at_, size);
      target = target.subspan(size);
      if ((at_ += size) < box_.row_bytes) continue;
      at_ = 0;
      if (++row_ < box_.rows) continue;
      row_ = 0;
      ++slice_;
    }
  }

  const std::byte* lend(std::uint64_t size_bytes) override {
    if (slice_ >= box_.slices || size_bytes > box_.row_bytes - at_) return nullptr;
    const std::byte* row =
        base_ + box_.offset_bytes + slice_ * box_.slice_pitch + row_ * box_.row_pitch;
    const std::byte* lent = row + at_;
    if ((at_ += size_bytes) < box_.row_bytes) return lent;
    at_ = 0;
    if (++row_ < box_.rows) return lent;
    row_ = 0;
    ++slice_;
    return lent;
  }

 private:
  const std::byte* base_;
  Box box_;
  std::uint64_t at_ = 0, row_ = 0, slice_ = 0;
};

inline Box line(std::uint64_t size_bytes) { return {0, size_bytes, 1, 1, size_bytes, size_bytes}; }

// A pattern over and over.
class PatternSource final : public ByteSource {
 public:
  explicit PatternSource(std::span<const std::byte> pattern) : pattern_(pattern) {}

  void take(std::span<std::byte> target) override {
    if (pattern_.empty()) return;
    for (std::byte& byte : target) {
      byte = pattern_[at_];
      at_ = at_ + 1 == pattern_.size() ? 0 : at_ + 1;
    }
  }

 private:
  std::span<const std::byte> pattern_;
  std::size_t at_ = 0;
};

}  // namespace reel::capture
