// map_hooks.hpp - what maps of memory objects and of shared virtual memory have in common.
#pragma once

#include "layers/opencl/maps.hpp"
#include "layers/opencl/transfers.hpp"

namespace reel::layer {

// A map that is being made: takes a copy of what is there, where the host may change some of it.
class MapInProgress {
 public:
  // `mapped`: the ranges that it is of; known whether or not anybody records.
  MapInProgress(Given& given, std::span<const WorkArgument> mapped, cl_map_flags flags,
                bool blocking) noexcept;
  MapInProgress(const MapInProgress&) = delete;
  MapInProgress& operator=(const MapInProgress&) = delete;
  // The driver made it: `host` are the mapped bytes from `pointer` on.
  void done(void* pointer, const Box& host) noexcept;
  // After the wait of a blocking one, before the program has it.
  void waited(void* pointer, cl_int status) noexcept;

 private:
  void enter(void* pointer);

  Given& given_;
  Map map_;
  bool is_hashed_ = false;  // what is there is looked at where the program will see it
};

// Fills the work of an unmap with what the host wrote, and gives it.
void fill_unmap(Given& given, const char* function, std::optional<Map>& map,
                const void* pointer) noexcept;
void map_ends(const std::optional<Map>& map, const void* pointer) noexcept;

template <class Driver>
cl_int unmap(Given& given, const char* function, std::optional<Map> map, const void* pointer,
             Driver&& driver) noexcept {
  map_ends(map, pointer);
  if (given) fill_unmap(given, function, map, pointer);
  if (map) map->read = {};
  return given.call(std::forward<Driver>(driver));
}

}  // namespace reel::layer
