// references.hpp - retaining and releasing, the same for every kind of object.
#pragma once

#include <memory>

#include "layers/opencl/given.hpp"

namespace reel::layer {

template <class Handle, class Driver>
cl_int retain(Handle handle, Driver driver) noexcept {
  const cl_int status = driver(handle);
  if (status == CL_SUCCESS) retained(handle);
  return status;
}

// `before_last(Object&)` when the program lets go of its last reference, before the driver is told.
template <class Handle, class Driver, class BeforeLast>
cl_int release(Handle handle, Driver driver, BeforeLast&& before_last) noexcept {
  std::shared_ptr<Object> object;
  const bool last = released(handle, object);
  if (last) quietly([&] { before_last(*object); });
  const cl_int status = driver(handle);
  if (status != CL_SUCCESS)
    quietly([&] { release_failed(handle, object, last); });
  else if (last)
    object->self.reset();
  return status;
}

template <class Handle, class Driver>
cl_int release(Handle handle, Driver driver) noexcept {
  return release(handle, driver, [](Object&) {});
}

}  // namespace reel::layer
