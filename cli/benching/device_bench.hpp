// device_bench.hpp - how fast a device is, by its own work and not by its data sheet.
#pragma once

#include <functional>
#include <string_view>

#include "reel/device.hpp"

namespace reel::cli {

struct DeviceBench {
  double round_trip_ns = 0;  // an empty kernel, enqueued and waited for
  double launch_ns = 0;      // one of a thousand empty kernels, waited for together
  double write_bytes_per_s = 0, read_bytes_per_s = 0;  // host to device, and back
  double copy_bytes_per_s = 0;   // within the device; bytes read and written count
  double triad_bytes_per_s = 0;  // a kernel that reads two buffers and writes one
  double fma_flops = 0;          // a kernel that only multiplies and adds
  double matmul_flops = 0;       // a matrix product as one would write it first
  // The best that was measured of each kind: what kernels can be held against.
  double peak_bytes_per_s() const;
  double peak_flops() const;
};

// About `seconds` long. Medians; each result is checked, and Error thrown where one is wrong.
DeviceBench measure(const Device& device, double seconds,
                    const std::function<void(std::string_view what)>& on_progress = {});

}  // namespace reel::cli
