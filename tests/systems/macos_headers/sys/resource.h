#pragma once
#include <stdint.h>
#include_next <sys/resource.h>
typedef void* rusage_info_t;
struct rusage_info_v2 {
  uint64_t ri_resident_size, ri_phys_footprint;  // two of many
};
constexpr int RUSAGE_INFO_V2 = 2;
