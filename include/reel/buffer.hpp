// buffer.hpp - device memory with a label.
//
// A Buffer is a cheap handle; copies share the memory, which goes back to the device when the
// last handle, command in flight and GraphExec that names it are gone. Reading and writing here
// wait for the whole device; a Stream does both in order and without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "reel/ids.hpp"
#include "reel/parameter.hpp"

namespace reel {

namespace detail {
struct Inside;  // the library, which looks into handles

// Bytes of `count` elements; too many for 64 bits become more than any buffer has.
template <class T>
constexpr std::uint64_t bytes_of(std::uint64_t count) noexcept {
  return count > ~std::uint64_t{0} / sizeof(T) ? ~std::uint64_t{0} : count * sizeof(T);
}

template <class R>
using Element = std::remove_cvref_t<std::ranges::range_reference_t<R>>;
}  // namespace detail

// Plain values one after another in host memory: a std::vector, std::array, std::span or C array.
template <class R>
concept HostValues = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::is_trivially_copyable_v<detail::Element<R>>;
// Such values to be overwritten, which stay where they are.
template <class R>
concept HostTarget = HostValues<R> && std::ranges::borrowed_range<R> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

template <HostValues R>
std::span<const std::byte> host_bytes(const R& values) {  // of values of the host
  return std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values)));
}
template <HostTarget R>
std::span<std::byte> host_target(R&& values) {  // the bytes to fill
  return std::as_writable_bytes(std::span(std::ranges::data(values), std::ranges::size(values)));
}

struct BufferResource;  // the memory, owned by a backend
class Buffer;

// Bytes [offset, offset + size) of a buffer. Checked when it is made. A view, as std::span is:
// the Buffer must outlive it (commands and graphs made from it hold the memory themselves).
struct BufferRange {
  BufferResource* buffer = nullptr;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;

  BufferRange() = default;
  BufferRange(const Buffer& whole);  // NOLINT: a buffer is its own whole range
  BufferRange(const Buffer& of, std::uint64_t offset_bytes, std::uint64_t size_bytes);
};

class Buffer {
 public:
  Buffer() = default;

  BufferId id() const;               // as documents name it
  const std::string& label() const;  // as it was given
  std::uint64_t size_bytes() const;  // of all of it

  // A part of it, in bytes.
  BufferRange range(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    return {*this, offset_bytes, size_bytes};
  }
  template <class T>
  BufferRange elements(std::uint64_t first, std::uint64_t count) const {  // a part, in elements
    return {*this, detail::bytes_of<T>(first), detail::bytes_of<T>(count)};
  }

  // Blocking, ordered after everything given to the device so far.
  void write_bytes(std::span<const std::byte> data, std::uint64_t offset_bytes = 0) const;
  // Waits for all work of the device.
  void read_bytes(std::span<std::byte> target, std::uint64_t offset_bytes = 0) const;

  template <HostValues R>
  void write(const R& data, std::uint64_t first_element = 0) const {  // waits
    write_bytes(host_bytes(data), detail::bytes_of<detail::Element<R>>(first_element));
  }
  // Fills `target`.
  template <HostTarget R>
  void read(R&& target, std::uint64_t first_element = 0) const {
    read_bytes(host_target(target), detail::bytes_of<detail::Element<R>>(first_element));
  }
  template <class T>
  std::vector<T> read(std::uint64_t first_element, std::uint64_t count) const {
    static_assert(std::is_trivially_copyable_v<T>);
    // Before allocating for it.
    check_read(detail::bytes_of<T>(first_element), detail::bytes_of<T>(count));
    std::vector<T> result(count);
    read_bytes(std::as_writable_bytes(std::span<T>(result)), detail::bytes_of<T>(first_element));
    return result;
  }
  template <class T>
  std::vector<T> read() const {
    return read<T>(0, size_bytes() / sizeof(T));
  }

  // Of a buffer made by Device::host_visible_buffer(): where the host sees its bytes, as long as
  // the buffer lives. Empty elsewhere. Who reads or writes there sees to the order: wait for the
  // commands that use the bytes first, and tell of what was written by Stream::host_wrote().
  std::span<std::byte> mapped() const;
  // Of a buffer made by Device::addressed_buffer(): its first byte, as kernels know it. 0
  // elsewhere.
  std::uint64_t device_address() const;

  // Forbids further use through any handle. A GraphExec or command that already names the
  // buffer keeps the memory until it is done with it.
  void free();

  explicit operator bool() const noexcept { return resource_ != nullptr; }

 private:
  friend struct detail::Inside;
  explicit Buffer(std::shared_ptr<BufferResource> resource) : resource_(std::move(resource)) {}
  void check_read(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
  std::shared_ptr<BufferResource> resource_;
};

// A range and how a kernel uses it. A bare buffer or range counts as inout.
struct Bound {
  BufferRange range;
  Access access;
};
inline Bound in(BufferRange range) { return {range, Access::read}; }           // a kernel reads it
inline Bound out(BufferRange range) { return {range, Access::write}; }         // a kernel writes it
inline Bound inout(BufferRange range) { return {range, Access::read_write}; }  // both

}  // namespace reel
