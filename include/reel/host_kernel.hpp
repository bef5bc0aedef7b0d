// host_kernel.hpp - kernels of the host device: C++ functions that run one work-group.
//
//   void add(const reel::HostGroup& group, const float* x, const float* y, float* z, uint32_t n) {
//     group.for_each([&](const reel::HostItem& item) {
//       if (item.global.x < n) z[item.global.x] = x[item.global.x] + y[item.global.x];
//     });
//   }
//   reel::Kernel k = device.kernel({.name = "add", .host = reel::host_kernel<&add>()});
//
// A function is called once per work-group and loops over its items. The end of a for_each is
// the group barrier: every item has done the first loop before any starts the second. Groups
// run on several threads at once, in any order. It may not use the streams of its device, by
// enqueuing or by waiting: that throws `unsupported`. What it throws comes out of the next call
// that waits, as an Error with host_call_failed and its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "reel/dim3.hpp"
#include "reel/parameter.hpp"

namespace reel {

struct HostItem {  // one item of a group
  Dim3 local, global;
  std::uint32_t local_index;  // within the group, x fastest
};

// One argument as a host kernel sees it. Values of at most eight bytes live in `data` itself.
struct HostArgument {
  void* data;
  std::uint64_t size_bytes;
};

// Of a launch by items or with an offset.
struct HostGrid {
  Dim3 offset, items, group_size;
};

struct HostGroup {  // what a host kernel is called for
  const HostArgument* arguments;
  std::byte* shared_memory;  // of this group; the launch's shared() arguments, one after another
  Dim3 id, count, size;      // size: of this group; the last of a launch by items may be smaller
  std::uint32_t argument_count : 31;
  std::uint32_t is_free : 1 = 0;  // a free grid: HostGrid follows the arguments

  template <class T>
  std::span<T> buffer(std::size_t index) const {  // an argument
    return {static_cast<T*>(arguments[index].data), arguments[index].size_bytes / sizeof(T)};
  }

  template <class T>
  T value(std::size_t index) const {  // an argument
    static_assert(std::is_trivially_copyable_v<T>);
    T result;
    const HostArgument& argument = arguments[index];
    std::memcpy(&result, sizeof(T) <= sizeof(void*) ? &argument.data : argument.data, sizeof(T));
    return result;
  }

  // Shared arguments hold their offset within shared_memory.
  template <class T>
  std::span<T> shared(std::size_t index) const {
    auto* begin = shared_memory + reinterpret_cast<std::uintptr_t>(arguments[index].data);
    return {reinterpret_cast<T*>(begin), arguments[index].size_bytes / sizeof(T)};
  }

  // The global id of the group's first item.
  Dim3 first_item() const {
    if (!is_free) return {id.x * size.x, id.y * size.y, id.z * size.z};
    const HostGrid& grid = *static_cast<const HostGrid*>(arguments[argument_count].data);
    const Dim3 &full = grid.group_size, &offset = grid.offset;
    return {offset.x + id.x * full.x, offset.y + id.y * full.y, offset.z + id.z * full.z};
  }

  template <class F>
  void for_each(F&& body) const {  // every item of the group
    const Dim3 first = first_item();
    std::uint32_t index = 0;
    for (std::uint32_t z = 0; z < size.z; ++z)
      for (std::uint32_t y = 0; y < size.y; ++y)
        for (std::uint32_t x = 0; x < size.x; ++x)
          body(HostItem{{x, y, z}, {first.x + x, first.y + y, first.z + z}, index++});
  }
};

// Shared memory as a parameter of a host kernel: `reel::SharedSpan<float> tile`.
template <class T>
struct SharedSpan : std::span<T> {
  using std::span<T>::span;
  SharedSpan(std::span<T> other) : std::span<T>(other) {}
};

using HostFunction = void (*)(const HostGroup&);  // a kernel on the host

// What a KernelSource holds: a function of one group, and its parameters where known.
struct HostKernel {
  HostFunction function = nullptr;
  std::vector<Parameter> parameters;  // empty and !reflected: anything is accepted
  bool reflected = false;
  // What the function needs, kept as long as anything may call it. None: it lasts as long as the
  // process, so that a kernel() that is given it makes it known by name.
  std::shared_ptr<const void> owner;

  HostKernel() = default;
  HostKernel(HostFunction f) : function(f) {}
  explicit operator bool() const noexcept { return function != nullptr; }
};

namespace detail {

// The element type of a C++ type; none for structs, bool and the like.
template <class T>
constexpr std::optional<ElementType> element_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>) return ElementType::f32;
  if constexpr (std::is_same_v<U, double>) return ElementType::f64;
  if constexpr (std::is_same_v<U, std::byte>) return ElementType::u8;
  if constexpr (std::is_integral_v<U> && !std::is_same_v<U, bool>) {
    constexpr bool is_signed = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1) return is_signed ? ElementType::i8 : ElementType::u8;
    if constexpr (sizeof(U) == 2) return is_signed ? ElementType::i16 : ElementType::u16;
    if constexpr (sizeof(U) == 4) return is_signed ? ElementType::i32 : ElementType::u32;
    if constexpr (sizeof(U) == 8) return is_signed ? ElementType::i64 : ElementType::u64;
  }
  return std::nullopt;
}

template <class T>
struct HostParameter {  // a value
  static_assert(std::is_trivially_copyable_v<T>, "kernel arguments by value are plain bytes");
  static T get(const HostGroup& g, std::size_t i) { return g.value<T>(i); }
  static Parameter describe() {
    return {{}, ArgumentKind::value, sizeof(T), Access::read, element_of<T>()};
  }
};
template <class T>
struct HostParameter<T*> {
  static T* get(const HostGroup& g, std::size_t i) { return static_cast<T*>(g.arguments[i].data); }
  static Parameter describe() {
    return {{},
            ArgumentKind::buffer,
            0,
            std::is_const_v<T> ? Access::read : Access::read_write,
            element_of<T>()};
  }
};
template <class T>
struct HostParameter<std::span<T>> {
  static std::span<T> get(const HostGroup& g, std::size_t i) { return g.buffer<T>(i); }
  static Parameter describe() { return HostParameter<T*>::describe(); }
};
template <class T>
struct HostParameter<SharedSpan<T>> {
  static SharedSpan<T> get(const HostGroup& g, std::size_t i) { return g.shared<T>(i); }
  static Parameter describe() { return {{}, ArgumentKind::shared, 0, Access::read_write}; }
};

template <auto function, class... P, std::size_t... i>
HostKernel make_host_kernel(void (*)(const HostGroup&, P...), std::index_sequence<i...>) {
  HostKernel kernel([](const HostGroup& group) {
    function(group, HostParameter<std::remove_cvref_t<P>>::get(group, i)...);
  });
  kernel.parameters = {HostParameter<std::remove_cvref_t<P>>::describe()...};
  kernel.reflected = true;
  return kernel;
}
template <auto function, class... P>
HostKernel make_host_kernel(void (*f)(const HostGroup&, P...)) {
  return make_host_kernel<function>(f, std::index_sequence_for<P...>{});
}

}  // namespace detail

// A host kernel from a function of (const HostGroup&, parameters...): pointers and spans are
// buffers (const = read only), SharedSpan is shared memory, anything else a value.
template <auto function>
HostKernel host_kernel() {
  return detail::make_host_kernel<function>(function);
}

// Host kernels to be found by name: documents and saved graphs can't hold a C++ function, only its
// name. Device::kernel() makes the function it is given known by the kernel's name, as long as all
// kernels of that name have the same one: a name of two functions stands for neither. A process
// that builds no such kernel, or several, says here what the names stand for. Any thread; a later
// call for a name replaces an earlier one.
void register_host_kernel(std::string name, HostKernel kernel);
HostKernel find_host_kernel(std::string_view name);  // empty: it stands for none

namespace detail {
void note_host_kernel(const std::string& name, const HostKernel& kernel);  // of kernel()
}  // namespace detail

}  // namespace reel
