// fixtures.hpp - buffers and kernels without a device: graphs only look at what these hold.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/handles.hpp"
#include "graph/commands/resource.hpp"
#include "reel/error.hpp"
#include "reel/graph.hpp"

namespace reel::test {

inline Buffer make_buffer(std::string label, std::uint64_t size_bytes = 64) {
  static std::uint32_t count = 0;
  auto resource = std::make_shared<BufferResource>();
  resource->id = BufferId{count++};
  resource->label = std::move(label);
  resource->size_bytes = size_bytes;
  return make_handle<Buffer>(resource);
}

// Takes any arguments, and has no group size of its own.
inline Kernel make_kernel(std::string name) {
  auto resource = std::make_shared<KernelResource>();
  resource->source.name = std::move(name);
  return make_handle<Kernel>(resource);
}

// Takes exactly these.
inline Kernel make_kernel(std::string name, std::vector<Parameter> parameters) {
  Kernel kernel = make_kernel(std::move(name));
  resource_of(kernel)->parameters = std::move(parameters);
  resource_of(kernel)->reflected = true;
  return kernel;
}

inline Parameter buffer_parameter(const char* name = "") {
  return {name, ArgumentKind::buffer, 0, Access::read_write};
}
inline Parameter value_parameter(std::uint32_t size_bytes, const char* name = "") {
  return {name, ArgumentKind::value, size_bytes, Access::read};
}
inline Parameter shared_parameter() { return {"", ArgumentKind::shared, 0, Access::read_write}; }

inline const Launch one_group{.groups = {1}, .group_size = {64}};

inline NodeId node(std::size_t index) { return static_cast<NodeId>(index); }

// What an Error thrown by `call` says; it must be invalid_argument.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

}  // namespace reel::test
