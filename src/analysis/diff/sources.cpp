#include "analysis/diff/sources.hpp"

#include <set>
#include <string>
#include <utility>

namespace reel::analysis {

namespace {

std::string source_text(const Trace& trace, const TraceVariant& variant) {
  if (!variant.blob || variant.form == KernelForm::spirv) return {};
  const auto bytes = trace.blob(*variant.blob);
  if (!bytes) return {};
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

}  // namespace

bool has_new_source(const Trace& a, const Trace& b, std::uint32_t kernel_a,
                    std::uint32_t kernel_b) {
  if (kernel_a == no_index || kernel_b == no_index) return false;
  const TraceKernel &mine = a.kernels()[kernel_a], &other = b.kernels()[kernel_b];
  if (mine.defines != other.defines || mine.constants != other.constants ||
      mine.options != other.options || mine.array_counts != other.array_counts ||
      mine.subgroup_size != other.subgroup_size || mine.full_subgroups != other.full_subgroups)
    return true;
  // Of the form both were built from; another form may not have been recorded.
  for (const TraceVariant& variant : mine.variants)
    for (const TraceVariant& candidate : other.variants)
      if (variant.form == candidate.form && variant.blob != candidate.blob) return true;
  return false;
}

void compare_sources(const Trace& a, const Trace& b, TraceDiff& diff) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const DiffRow& row : diff.rows) {
    if (!row.new_source || !seen.insert({row.kernel_a, row.kernel_b}).second) continue;
    for (const TraceVariant& mine : a.kernels()[row.kernel_a].variants)
      for (const TraceVariant& other : b.kernels()[row.kernel_b].variants)
        if (mine.form == other.form && mine.blob != other.blob)
          diff.sources.push_back(
              {row.kernel_a, row.kernel_b, mine.form, source_text(a, mine), source_text(b, other)});
  }
}

}  // namespace reel::analysis
