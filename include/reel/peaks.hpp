// peaks.hpp - what devices were measured to be able to do, by `reel bench --save`.
//
// One file of the user, $XDG_CACHE_HOME/reel/peaks.json (~/.cache without), a row for each device
// by name, driver and the driver's version. Findings hold kernels against it, where a document's
// device has a row; a document of another machine has none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reel/insights.hpp"

namespace reel {

struct DevicePeaks {  // a row: one device
  std::string name, driver,
      driver_version;        // of the device, as DeviceInfo and TraceDevice have them
  std::string measured;      // when: "2026-11-18"
  double bytes_per_s = 0;    // the fastest copy or kernel, bytes read and written
  double flops = 0;          // single-precision operations a second
  double launch_ns = 0;      // of one of many launches
  double round_trip_ns = 0;  // an empty kernel, enqueued and waited for

  bool operator==(const DevicePeaks&) const = default;
};

// Where the file is; empty where there is no home.
std::string peaks_path();
// Throws Error(io_failed) if it can't be read, and damaged_document if it isn't what save_peaks()
// writes. A file that isn't there is no rows.
std::vector<DevicePeaks> load_peaks(const std::string& path);
// Replaces rows of the same devices and keeps the others; the file is written whole or not at all.
void save_peaks(const std::string& path, std::span<const DevicePeaks> peaks);

// load_peaks(peaks_path()). What is wrong with it is logged, and there are no rows: it must not
// keep anybody from reading a document.
std::vector<DevicePeaks> measured_peaks();

namespace analysis {
// With these rows in place of measured_peaks(), which find_insights(trace, report) takes.
std::vector<Finding> find_insights(const Trace& trace, const Report& report,
                                   std::span<const DevicePeaks> peaks);
}  // namespace analysis

}  // namespace reel
