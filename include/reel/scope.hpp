// scope.hpp - a nested label ("layer3/attention/q_proj") that every command carries.
//
// A Scope is one pointer to a path kept for the life of the process: cheap to copy and compare,
// usable from any thread. The default Scope is the root, whose path is empty.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace reel {

class Scope {
 public:
  constexpr Scope() = default;

  // The scope `name` below this one; `name` may itself have slashes.
  Scope child(std::string_view name) const;
  // "layer0/attention"; empty where there is none.
  std::string_view path() const noexcept { return path_ ? std::string_view(*path_) : ""; }

  // The path itself, one for each; lives as long as the process. Null for the root.
  const std::string* key() const noexcept { return path_; }

  friend bool operator==(Scope, Scope) = default;

 private:
  explicit Scope(const std::string* path) : path_(path) {}
  const std::string* path_ = nullptr;
};

// Opens a scope where it is made and closes it where it is destroyed.
class [[nodiscard]] ScopeGuard {
 public:
  explicit ScopeGuard(std::function<void()> close) : close_(std::move(close)) {}
  ~ScopeGuard() {
    if (close_) close_();
  }
  ScopeGuard(ScopeGuard&& other) noexcept : close_(std::exchange(other.close_, nullptr)) {}
  ScopeGuard& operator=(ScopeGuard&&) = delete;

 private:
  std::function<void()> close_;
};

}  // namespace reel
