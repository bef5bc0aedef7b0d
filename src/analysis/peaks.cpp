#include "reel/peaks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/log.hpp"
#include "base/process/environment_variable.hpp"
#include "reel/error.hpp"

namespace reel {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int peaks_schema_version = 1;

[[noreturn]] void not_peaks(const std::string& path, const std::string& why) {
  throw Error(Code::damaged_document,
              fmt::format("'{}' is not what `reel bench --save` writes: {}. Delete it, or measure "
                          "again.",
                          path, why));
}

double rate_in(const Json& row, const char* name) {
  const double value = row.at(name).get<double>();
  if (!(value > 0)) throw std::invalid_argument(fmt::format("'{}' is {}", name, value));
  return value;
}

DevicePeaks peaks_of(const Json& row) {
  return {.name = row.at("name").get<std::string>(),
          .driver = row.at("driver").get<std::string>(),
          .driver_version = row.at("driver_version").get<std::string>(),
          .measured = row.at("measured").get<std::string>(),
          .bytes_per_s = rate_in(row, "bytes_per_s"),
          .flops = rate_in(row, "flops"),
          .launch_ns = rate_in(row, "launch_ns"),
          .round_trip_ns = rate_in(row, "round_trip_ns")};
}

bool is_same_device(const DevicePeaks& a, const DevicePeaks& b) {
  return a.name == b.name && a.driver == b.driver && a.driver_version == b.driver_version;
}

}  // namespace

std::string peaks_path() {
  if (const auto cache = environment_variable("XDG_CACHE_HOME"); cache.starts_with('/'))
    return std::string(cache) + "/reel/peaks.json";
  const auto home = environment_variable("HOME");
  return home.empty() ? "" : std::string(home) + "/.cache/reel/peaks.json";
}

std::vector<DevicePeaks> load_peaks(const std::string& path) {
  std::error_code unknown;
  if (path.empty() || !fs::exists(path, unknown)) return {};
  std::ifstream file(path);
  if (!file)
    throw Error(Code::io_failed, fmt::format("Can't read '{}': {}.", path, std::strerror(errno)));
  try {
    const Json json = Json::parse(file);
    if (json.at("schema_version").get<int>() != peaks_schema_version)
      not_peaks(path, "it is of another version");
    std::vector<DevicePeaks> peaks;
    for (const Json& row : json.at("devices")) peaks.push_back(peaks_of(row));
    return peaks;
  } catch (const Json::exception& error) {
    not_peaks(path, error.what());
  } catch (const std::invalid_argument& error) {
    not_peaks(path, error.what());
  }
}

void save_peaks(const std::string& path, std::span<const DevicePeaks> peaks) {
  if (path.empty())
    throw Error(Code::io_failed,
                "There is no place to save to: neither XDG_CACHE_HOME nor HOME is set.");
  std::vector<DevicePeaks> all(peaks.begin(), peaks.end());
  for (const DevicePeaks& old : load_peaks(path))
    if (std::ranges::none_of(peaks, [&](const auto& row) { return is_same_device(row, old); }))
      all.push_back(old);
  Json json{{"schema_version", peaks_schema_version}, {"devices", Json::array()}};
  for (const DevicePeaks& row : all)
    json["devices"].push_back({{"name", row.name},
                               {"driver", row.driver},
                               {"driver_version", row.driver_version},
                               {"measured", row.measured},
                               {"bytes_per_s", row.bytes_per_s},
                               {"flops", row.flops},
                               {"launch_ns", row.launch_ns},
                               {"round_trip_ns", row.round_trip_ns}});
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  const std::string aside = fmt::format("{}.{}", path, ::getpid());
  {
    std::ofstream file(aside);
    file << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    if (!file.flush())
      throw Error(Code::io_failed,
                  fmt::format("Can't write '{}': {}.", path, std::strerror(errno)));
  }
  fs::rename(aside, path, failed);
  if (failed) {
    fs::remove(aside);
    throw Error(Code::io_failed, fmt::format("Can't write '{}': {}.", path, failed.message()));
  }
}

std::vector<DevicePeaks> measured_peaks() {
  try {
    return load_peaks(peaks_path());
  } catch (const Error& error) {
    log(LogLevel::warn, error.what());
    return {};
  }
}

}  // namespace reel
