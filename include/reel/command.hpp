// command.hpp - one piece of work, as a plain value.
//
// A Command borrows what it points to (arguments, data, label) from whoever made it, for the
// length of the call it is passed to; a Graph copies all of it. A new kind of work is one more
// alternative of Work, and every backend fails to compile until it says what it does with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "reel/buffer.hpp"
#include "reel/dim3.hpp"
#include "reel/image.hpp"
#include "reel/kernel.hpp"
#include "reel/scope.hpp"

namespace reel {

inline constexpr std::size_t max_value_bytes = 64;  // of one by-value argument
// Of a value that an Argument points to; the value's owner is the command's.
inline constexpr std::size_t max_outside_value_bytes = 4096;

// Shared (local) memory of `bytes` for each group, as a kernel argument. OpenCL: a __local
// pointer. Vulkan: skipped, a shader sizes its own arrays (by constants, if need be).
struct Shared {
  std::uint64_t size_bytes;
};
inline Shared shared(std::uint64_t size_bytes) { return {size_bytes}; }  // shared memory of a group

// What a kernel is given at one place: a range of a buffer, a value, shared memory.
struct Argument {
  ArgumentKind kind = ArgumentKind::value;
  Access access = Access::read;   // of a buffer or an image
  std::uint32_t value_bytes = 0;  // of a value or a sampler
  union {
    BufferRange range;                 // kind == buffer, image (all of it)
    std::uint64_t shared_bytes;        // kind == shared
    std::byte bytes[max_value_bytes];  // kind == value, sampler (a SamplerShape or SamplerState)
    const std::byte* outside;          // of a value of more than max_value_bytes
  };

  Argument() : shared_bytes(0) {}
  Argument(const Bound& bound)
      : kind(ArgumentKind::buffer), access(bound.access), range(bound.range) {}
  Argument(const BufferRange& r) : Argument(Bound{r, Access::read_write}) {}
  Argument(const Buffer& buffer) : Argument(BufferRange(buffer)) {}
  Argument(Shared s) : kind(ArgumentKind::shared), shared_bytes(s.size_bytes) {}
  Argument(const SamplerShape& sampler)
      : kind(ArgumentKind::sampler), value_bytes(sizeof(SamplerShape)) {
    std::memcpy(bytes, &sampler, sizeof(SamplerShape));
  }
  Argument(const SamplerState& sampler)
      : kind(ArgumentKind::sampler), value_bytes(sizeof(SamplerState)) {
    std::memcpy(bytes, &sampler, sizeof(SamplerState));
  }
  template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
           !std::is_convertible_v<const T&, BufferRange> && !std::is_same_v<T, Bound> &&
           !std::is_same_v<T, Shared> && !std::is_same_v<T, SamplerState>) Argument(const T& value)
      : value_bytes(sizeof(T)) {
    static_assert(!std::is_same_v<T, bool>, "OpenCL kernels take no bool; pass an int");
    static_assert(sizeof(T) <= max_value_bytes, "too large for an argument; use a buffer");
    std::memcpy(bytes, &value, sizeof(T));
  }

  static Argument image(const Bound& whole) {  // an image
    Argument argument(whole);
    argument.kind = ArgumentKind::image;
    return argument;
  }
  static Argument null_pointer() {  // in place of a buffer
    Argument argument;
    argument.kind = ArgumentKind::null;
    return argument;
  }
  // Borrows them where they are more than max_value_bytes: for as long as the command is given.
  static Argument of_bytes(std::span<const std::byte> value) {
    Argument argument;
    argument.value_bytes = static_cast<std::uint32_t>(value.size());
    if (value.size() > max_value_bytes)
      argument.outside = value.data();
    else if (!value.empty())
      std::memcpy(argument.bytes, value.data(), value.size());
    return argument;
  }

  bool is_memory() const noexcept {  // a range of a buffer, or an image
    return kind == ArgumentKind::buffer || kind == ArgumentKind::image;
  }
  bool is_outside() const noexcept {  // a value too long for `bytes`
    return kind == ArgumentKind::value && value_bytes > max_value_bytes;
  }
  // Of a value or a sampler.
  std::span<const std::byte> value() const noexcept {
    return {value_bytes > max_value_bytes ? outside : bytes, value_bytes};
  }

  // Same kind and same content; ranges by identity of the buffer. A friend that is declared nowhere
  // else: since nearly anything converts to an Argument, a free one would compare anything.
  friend bool operator==(const Argument& a, const Argument& b) noexcept;
};
static_assert(std::is_trivially_copyable_v<Argument>);

// What may stand for one argument. A list of Arguments is meant as the list, not as a value.
template <class T>
concept ArgumentLike = std::is_constructible_v<Argument, const T&> &&
    !std::is_convertible_v<const T&, std::span<const Argument>>;

// How a kernel is launched: over a number of groups, or over a number of items. Zero groups or
// items in a dimension is allowed, and does nothing.
//
// Items that are no multiple of the group size leave the last groups partly filled. Where a device
// runs whole groups only (DeviceInfo::takes_partial_groups), that is refused, unless the kernel is
// `guarded`: it then gets as many whole groups as cover the items.
struct Launch {
  Dim3 groups = {};
  Dim3 items = unset_dim;       // in place of `groups`
  Dim3 group_size = unset_dim;  // unset: the kernel's own; by items, else the device's choice
  Dim3 offset{0, 0, 0};         // of the first item's global id (DeviceInfo::takes_free_grids)
  bool guarded = false;         // the kernel itself does nothing for items past `items`
  std::string_view label = {};  // default: the kernel's name
};

// A word of device memory that decides whether a dispatch runs, by what it is when the dispatch is
// reached. Of devices that say so (DeviceInfo::can_dispatch_conditionally).
struct DispatchPredicate {
  BufferRange word = {};     // four bytes, at a multiple of 4; no buffer: there is no predicate
  bool is_inverted = false;  // it runs where the word is 0, and not where it is anything else

  explicit operator bool() const noexcept { return word.buffer != nullptr; }  // is there one?
  // Does it run where this is the word?
  bool is_met_by(std::uint32_t value) const noexcept { return (value == 0) == is_inverted; }
  ArgumentKind kind() const noexcept {  // in documents
    return is_inverted ? ArgumentKind::run_unless : ArgumentKind::run_if;
  }
  // The same buffer, not one like it.
  friend bool operator==(const DispatchPredicate& a, const DispatchPredicate& b) noexcept {
    return a.word.buffer == b.word.buffer && a.word.offset_bytes == b.word.offset_bytes &&
           a.word.size_bytes == b.word.size_bytes && a.is_inverted == b.is_inverted;
  }
};

struct Dispatch {                    // a kernel, its grid and arguments
  KernelResource* kernel = nullptr;  // a Kernel stands for it, and must outlive the command
  Dim3 groups;
  Dim3 group_size;  // always given by the time a backend or graph sees it
  std::span<const Argument> arguments;
  // Where set, `groups` is read on the device: three uint32 at this range.
  BufferRange indirect = {};
  // Only devices that say so (DeviceInfo::takes_free_grids) take the following.
  Dim3 offset{0, 0, 0};  // of the first item's global id
  // 0: groups × group_size; else fewer, the last groups are not full. With items, the group size
  // may stay unset: it is the driver's choice, and `groups` says nothing.
  Dim3 items{0, 0, 0};
  std::uint32_t dimensions = 0;      // get_work_dim(); 0: the number of dimensions larger than 1
  DispatchPredicate predicate = {};  // none: it runs whatever memory holds

  // It has an offset, or items in place of groups.
  bool is_free_grid() const noexcept { return offset != unset_dim || items != unset_dim; }
};

struct Copy {                  // bytes from one range to another
  BufferRange target, source;  // of one size; never overlapping
};

// A fill repeats the bytes of such a value.
template <class T>
concept FillValue = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4);

struct Fill {  // a value, repeated
  BufferRange target;
  std::uint32_t pattern = 0;        // its low pattern_bytes, repeated
  std::uint32_t pattern_bytes = 1;  // 1, 2 or 4; the size is a multiple of it

  // The pattern is the value's bytes, as T has them: 1.0f is four bytes, std::uint8_t{1} is one.
  template <FillValue T>
  static Fill of(BufferRange target, T value) {
    Fill fill{target, 0, sizeof(T)};
    std::memcpy(&fill.pattern, &value, sizeof(T));
    return fill;
  }
};

// Rows of `width_bytes` each, `pitch` bytes from the beginning of one to that of the next.
struct Pitched {
  BufferRange range;  // from the first byte of the first row to the last byte of the last
  std::uint64_t pitch_bytes = 0;
};

struct Write {  // bytes of the host
  BufferRange target;
  std::span<const std::byte> data;  // consumed before submit returns; copied by a graph
};

struct Read {  // bytes to the host
  BufferRange source;
  std::span<std::byte> target;  // the caller's; must live until the command is done
};

struct HostCall {  // a function of the host
  std::shared_ptr<const std::function<void()>> function;
};

// Everything before is done, and visible, before anything after starts. In a graph: a node with
// no work, to join or fork at.
struct Barrier {};

// What a command does.
using Work = std::variant<Dispatch, Copy, Fill, Write, Read, HostCall, Barrier>;

struct Command {
  Work work;
  std::string_view label = {};
  Scope scope = {};
};

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

// "dispatch", "copy", "fill", "write", "read", "host_call", "barrier".
const char* kind_name(const Work& work) noexcept;

}  // namespace reel
