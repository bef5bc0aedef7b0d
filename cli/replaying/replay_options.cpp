#include "cli/replaying/replay_options.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "cli/showing/replay_report.hpp"
#include "cli/showing/terminal.hpp"
#include "ops/ops.hpp"

namespace reel::cli {

void add_run_options(Verb verb, RunOptions& options) {
  add_trace_options(verb, options);
  verb.add_option("--device", options.device,
                  "Device to run on: host, opencl, vulkan:0, …; default: the recorded one")
      .type_name("DEVICE");
  verb.add_option("--host-kernels", options.host_kernels,
                  "A library whose host kernels register themselves (docs/replay.md)")
      .one_value_each()  // what follows may be the document
      .type_name("LIB.so");
  verb.add_option("--time-limit", options.time_limit_s,
                  "Seconds that one command may take; 0: no limit")
      .show_default()
      .type_name("SECONDS");
  verb.add_option("--memory", options.memory_bytes,
                  "Memory limit, as 8G; 0: none. Default: three quarters of the machine's memory")
      .size()
      .type_name("SIZE");
  options.memory_bytes = default_memory_bytes();
}

void load_host_kernels(const std::vector<std::string>& libraries) {
  ops::register_host_kernels();
  for (const std::string& library : libraries) {
    // A bare name would be looked for on the system's paths.
    const std::string path = std::filesystem::absolute(library).string();
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      throw Error(Code::io_failed, fmt::format("{} can't be loaded: {}", library, dlerror()));
  }
}

namespace {

int guarded(const std::function<int()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    switch (error.code()) {
      case Code::timed_out:
        fmt::print(stderr, "reel: {}\n", printable_lines(error.what()));
        std::fflush(nullptr);
        std::_Exit(cannot);
      case Code::unsupported:
      case Code::out_of_memory:
      case Code::no_device:
      case Code::device_lost:
      case Code::build_failed:
      case Code::driver_failed:
        fmt::print(stderr, "reel: It can't be replayed here. {}\n", printable_lines(error.what()));
        return cannot;
      default:
        throw;
    }
  }
}

}  // namespace

int run_guarded(const RunOptions& options, bool can_run_twice,
                const std::function<int(const WatchedWork&)>& work) {
  return run_watched({options.path, options.memory_bytes, can_run_twice},
                     [&](const WatchedWork& how) { return guarded([&] { return work(how); }); });
}

}  // namespace reel::cli
