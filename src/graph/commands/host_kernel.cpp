#include "reel/host_kernel.hpp"

#include <map>
#include <mutex>

namespace reel {

namespace {

struct Registry {
  std::mutex mutex;
  struct Entry {
    HostKernel kernel;
    bool is_registered;  // else it is known from kernels that were built; empty where these differ
  };
  std::map<std::string, Entry, std::less<>> kernels;
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
  all.kernels.insert_or_assign(std::move(name), Registry::Entry{std::move(kernel), true});
}

void detail::note_host_kernel(const std::string& name, const HostKernel& kernel) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto [known, is_new] = all.kernels.try_emplace(name, Registry::Entry{kernel, false});
  if (is_new || known->second.is_registered) return;
  // Which of the two a document means nobody can tell.
  if (known->second.kernel.function != kernel.function) known->second.kernel = {};
}

HostKernel find_host_kernel(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(name);
  return found == all.kernels.end() ? HostKernel() : found->second.kernel;
}

}  // namespace reel
