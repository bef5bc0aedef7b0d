#include "reel/scope.hpp"

#include <mutex>
#include <unordered_set>

namespace reel {

Scope Scope::child(std::string_view name) const {
  if (name.empty()) return *this;
  std::string path(this->path());
  if (!path.empty()) path += '/';
  path += name;
  static std::mutex mutex;
  // Never destroyed: scopes may be read while the process ends.
  static auto& paths = *new std::unordered_set<std::string>;
  const std::lock_guard lock(mutex);
  return Scope(&*paths.insert(std::move(path)).first);  // elements of a node-based set stay put
}

}  // namespace reel
