#include "backends/vulkan/batch.hpp"

#include <string>

#include "base/fail.hpp"

namespace reel::vulkan {

std::function<void()> named_call(const HostCall& call, std::string_view label) {
  return [function = call.function, label = std::string(label)] {
    try {
      (*function)();
    } catch (const std::exception& error) {
      fail(Code::host_call_failed, "Host call '{}' threw: {}", label, error.what());
    } catch (...) {
      fail(Code::host_call_failed, "Host call '{}' threw something that is no std::exception.",
           label);
    }
  };
}

void Batch::clear() {
  value = 0;
  commands.clear();
  waits.clear();
  read_backs.clear();
  held.clear();
  runs.clear();
  staging.reset();
  host = nullptr;
}

}  // namespace reel::vulkan
