#include "backends/opencl/kernels/program_cache.hpp"

#include <algorithm>
#include <array>

namespace reel::opencl {
namespace {

// So many are kept though no kernel of theirs is left: as a document has, replayed again and again.
constexpr std::size_t most_kept = 64;

// Words of texts that may come to something else the next time: of files, and of clocks.
bool may_change(const std::string& text) {
  return std::ranges::any_of(
      std::array{"include", "import", "__DATE__", "__TIME"},
      [&](const char* word) { return text.find(word) != std::string::npos; });
}

// All that the compiler gets. Empty: it isn't kept.
std::string key_of(const KernelSource& source) {
  if (source.opencl_c.empty()) return {};  // nothing to compile, or seldom
  std::string key;
  const auto add = [&](const std::string& part) {
    key += std::to_string(part.size()) + ':' + part;
  };
  for (const Define& define : source.defines) {
    add(define.name);
    add(define.value);
  }
  key += ';';
  add(source.options);
  add(source.opencl_c);
  return may_change(key) ? std::string() : key;
}

}  // namespace

std::shared_ptr<const BuiltProgram> ProgramCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(entries_, key, &Entry::key);
  if (known == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, known);
  return known->program;
}

std::shared_ptr<const BuiltProgram> ProgramCache::get(const DeviceContext& context,
                                                      const KernelSource& source) {
  std::string key = key_of(source);
  if (!key.empty())
    if (auto known = find(key)) return known;
  // Without the lock: two threads that build the same both do, and others don't wait.
  auto built = std::make_shared<BuiltProgram>();
  built->handle = build_program(context, source, built->log);
  if (!key.empty()) {
    const std::lock_guard lock(mutex_);
    entries_.push_front({std::move(key), built});
    if (entries_.size() > most_kept) entries_.pop_back();
  }
  return built;
}

}  // namespace reel::opencl
