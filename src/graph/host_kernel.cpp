#include "reel/host_kernel.hpp"

#include <map>
#include <mutex>

namespace reel {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, HostKernel, std::less<>> kernels;
};

// Never destroyed: initialisers and ends of other libraries may come here.
Registry& registry() {
  static auto* one = new Registry;
  return *one;
}

}  // namespace

void register_host_kernel(std::string name, HostKernel kernel) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.kernels.insert_or_assign(std::move(name), std::move(kernel));
}

HostKernel find_host_kernel(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(name);
  return found == all.kernels.end() ? HostKernel() : found->second;
}

}  // namespace reel
