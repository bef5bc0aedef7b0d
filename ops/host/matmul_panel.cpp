#include "ops/host/matmul_panel.hpp"

#include "ops/host/matmul_tile.hpp"

namespace reel::ops::host {
namespace {

#if defined(__x86_64__)
template <class Weight>
[[gnu::target("avx2")]] void multiply_wide(const PanelWork<Weight>& work) {
  multiply_panel<Wide>(work);
}
const bool has_wide = __builtin_cpu_supports("avx2");
#endif

template <class Weight>
void multiply_by_widest(const PanelWork<Weight>& work) {
#if defined(__x86_64__)
  if (has_wide) return multiply_wide(work);
#endif
  multiply_panel<Narrow>(work);
}

}  // namespace

void multiply(const PanelWork<float>& work) { multiply_by_widest(work); }
void multiply(const PanelWork<std::int8_t>& work) { multiply_by_widest(work); }

void multiply_narrow(const PanelWork<float>& work) { multiply_panel<Narrow>(work); }
void multiply_narrow(const PanelWork<std::int8_t>& work) { multiply_panel<Narrow>(work); }

}  // namespace reel::ops::host
