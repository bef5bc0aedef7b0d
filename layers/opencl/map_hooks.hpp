// map_hooks.hpp - what maps of memory objects and of shared virtual memory have in common.
#pragma once

#include "layers/opencl/maps.hpp"
#include "layers/opencl/transfers.hpp"

namespace reel::layer {

// A map that is being made: takes a copy of what is there, where the host may change some of it.
class MapInProgress {
 public:
  MapInProgress(Given& given, cl_map_flags flags) noexcept;
  // The driver made it: `host` are the mapped bytes from `pointer` on.
  void done(void* pointer, const Box& host) noexcept;

 private:
  Given& given_;
  Map map_;
  bool is_wanted_ = false;
};

// Fills the work of an unmap with what the host wrote, and gives it.
void fill_unmap(Given& given, const char* function, std::optional<Map>& map,
                const void* pointer) noexcept;

template <class Driver>
cl_int unmap(Given& given, const char* function, std::optional<Map> map, const void* pointer,
             Driver&& driver) noexcept {
  if (given) fill_unmap(given, function, map, pointer);
  return given.call(std::forward<Driver>(driver));
}

}  // namespace reel::layer
