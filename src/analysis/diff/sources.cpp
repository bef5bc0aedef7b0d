#include "analysis/diff/sources.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "opencl/kernel_text.hpp"

namespace reel::analysis {

namespace {

std::string source_text(const Trace& trace, const TraceVariant& variant) {
  if (!variant.blob || variant.form == KernelForm::spirv) return {};
  const auto bytes = trace.blob(*variant.blob);
  if (!bytes) return {};
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// Texts of programs are the same as far as this kernel goes: another kernel of the text changed, or
// a comment.
bool gives_same_kernel(const Trace& a, const Trace& b, const TraceKernel& mine,
                       const TraceVariant& variant, const TraceVariant& other) {
  if (variant.form != KernelForm::opencl_c) return false;
  const std::string before = source_text(a, variant), after = source_text(b, other);
  return !before.empty() && !after.empty() &&
         opencl_kernel_text(before, mine.entry) == opencl_kernel_text(after, mine.entry);
}

// Of a module that several kernels of the document were built from nobody here can tell which of
// them changed.
bool is_shared(const Trace& trace, const TraceVariant& variant) {
  const auto has_it = [&](const TraceKernel& kernel) {
    return std::ranges::any_of(kernel.variants, [&](const TraceVariant& other) {
      return other.form == variant.form && other.blob == variant.blob;
    });
  };
  std::set<std::string> entries;
  for (const TraceKernel& kernel : trace.kernels())
    if (has_it(kernel)) entries.insert(kernel.entry);
  return entries.size() > 1;
}

}  // namespace

SourceChange source_change(const Trace& a, const Trace& b, std::uint32_t kernel_a,
                           std::uint32_t kernel_b) {
  if (kernel_a == no_index || kernel_b == no_index) return SourceChange::none;
  const TraceKernel &mine = a.kernels()[kernel_a], &other = b.kernels()[kernel_b];
  if (mine.defines != other.defines || mine.constants != other.constants ||
      mine.options != other.options || mine.array_counts != other.array_counts ||
      mine.subgroup_size != other.subgroup_size || mine.full_subgroups != other.full_subgroups)
    return SourceChange::kernel;
  // Of the form both were built from; another form may not have been recorded.
  SourceChange change = SourceChange::none;
  for (const TraceVariant& variant : mine.variants)
    for (const TraceVariant& candidate : other.variants) {
      if (variant.form != candidate.form || variant.blob == candidate.blob) continue;
      if (gives_same_kernel(a, b, mine, variant, candidate)) continue;
      if (is_text(variant.form) || !(is_shared(a, variant) || is_shared(b, candidate)))
        return SourceChange::kernel;
      change = SourceChange::program;
    }
  return change;
}

void compare_sources(const Trace& a, const Trace& b, TraceDiff& diff) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const DiffRow& row : diff.rows) {
    if ((!row.new_source && !row.new_program) || !seen.insert({row.kernel_a, row.kernel_b}).second)
      continue;
    for (const TraceVariant& mine : a.kernels()[row.kernel_a].variants)
      for (const TraceVariant& other : b.kernels()[row.kernel_b].variants)
        if (mine.form == other.form && mine.blob != other.blob)
          diff.sources.push_back(
              {row.kernel_a, row.kernel_b, mine.form, source_text(a, mine), source_text(b, other)});
  }
}

}  // namespace reel::analysis
