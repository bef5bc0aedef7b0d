#include <fmt/format.h>

#include <charconv>

#include "page/lists.hpp"
#include "page/shader_sources.hpp"
#include "page/tables.hpp"
#include "reel/diff.hpp"
#include "reel/scope_tree.hpp"

namespace reel {
namespace {

using MakeList = std::string (*)(const PageState&);

const std::map<std::string_view, MakeList>& lists() {
  static const std::map<std::string_view, MakeList> all{
      {"summary", [](const PageState& state) { return page::summary_json(state, {}); }},
      {"findings",
       [](const PageState& state) {
         return analysis::findings_json(state.trace, state.report, state.findings);
       }},
      {"kernels", page::kernels_json},
      {"buffers", page::buffers_json},
      {"texts", page::texts_json},
      {"values", page::values_json},
      {"scopes", [](const PageState& state) {
         return analysis::scopes_json(state.trace, analysis::find_scopes(state.trace));
       }}};
  return all;
}

struct Pair {
  std::size_t first = 0, second = 0;
};
// "3/0" of "source/3/0".
std::optional<Pair> numbers_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return {};
  const char* const end = name.data() + name.size();
  Pair pair;
  const auto [middle, error] = std::from_chars(name.data() + prefix.size(), end, pair.first);
  if (error != std::errc{} || middle == end || *middle != '/') return {};
  const auto [stop, other_error] = std::from_chars(middle + 1, end, pair.second);
  if (other_error != std::errc{} || stop != end) return {};
  return pair;
}

std::string string_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<Resource> source(const Trace& trace, const Pair& which) {
  if (which.first >= trace.kernels().size()) return {};
  const TraceKernel& kernel = trace.kernels()[which.first];
  if (which.second >= kernel.variants.size()) {
    auto text = page::shader_source(trace, kernel, which.second - kernel.variants.size());
    if (!text) return {};
    return Resource{std::move(*text), "text/plain; charset=utf-8"};
  }
  const TraceVariant& variant = kernel.variants[which.second];
  if (!variant.blob) return {};
  const auto bytes = trace.blob(*variant.blob);
  if (!bytes) return {};
  return Resource{string_of(*bytes), variant.form == KernelForm::spirv
                                         ? "application/octet-stream"
                                         : "text/plain; charset=utf-8"};
}

std::optional<Resource> contents_page(const Trace& trace, const Pair& which) {
  if (which.first >= trace.contents().size()) return {};
  const TraceContents& contents = trace.contents()[which.first];
  if (which.second >= contents.page_count) return {};
  const auto bytes = trace.page(contents, static_cast<std::uint32_t>(which.second));
  if (!bytes) return {};
  return Resource{string_of(*bytes), "application/octet-stream"};
}

using page::Stage;

// What each resource is made of.
Stage stage_of(std::string_view name) {
  for (const char* last : {"dependencies", "dependency_sets", "findings", "diff"})
    if (name == last) return Stage::all;
  // The document alone has these.
  return name.starts_with("source/") || name.starts_with("page/") ? Stage::none : Stage::first_look;
}

// All that there is to find out, what the page shows first before the rest.
void find_all(PageState& state, const std::optional<Trace>& before, const PageOptions& options) {
  const auto say = [&](std::string_view what, double part) {
    state.stages->say(what, part);
    if (options.progress) options.progress(what, part);
  };
  const auto part_from = [&](double begin, double end) {
    return [&say, begin, end](std::string_view what, double part) {
      say(what, begin + (end - begin) * part);
    };
  };
  state.report = analyze(state.trace, {.progress = part_from(0, 0.5), .dependencies = false});
  state.stages->reach(Stage::first_look);
  state.stages->give_way();
  say("Looking at dependencies", 0.5);
  analysis::Dependencies found = analysis::find_dependencies(state.trace);
  state.report.dependencies = std::move(found.edges);
  state.report.dependency_sets = std::move(found.sets);
  state.report.order_unfollowed_from = found.unfollowed_from;
  say("Looking for findings", 0.8);
  state.findings = find_insights(state.trace, state.report);
  if (before)
    state.diff =
        analysis::diff_json(*before, state.trace, diff(*before, state.trace, {part_from(0.85, 1)}));
  say("Looked at everything", 1);
  state.stages->reach(Stage::all);
}

std::shared_ptr<const PageState> state_of(const std::optional<Trace>& before, const Trace& trace,
                                          const PageOptions& options) {
  auto state = std::make_shared<PageState>(PageState{trace, {}, {}, before.has_value()});
  if (options.in_background)
    state->stages->begin([&state = *state, before, options] { find_all(state, before, options); });
  else
    find_all(*state, before, options);
  return state;
}

}  // namespace

PageData::PageData(const Trace& trace, const PageOptions& options)
    : state_(state_of({}, trace, options)) {}

PageData::PageData(const Trace& before, const Trace& trace, const PageOptions& options)
    : state_(state_of(before, trace, options)) {}

std::optional<Resource> PageData::get(std::string_view name) const {
  if (name == "progress") return Resource{state_->stages->json(), "application/json"};
  const Stage stage = stage_of(name);
  std::optional<page::PageStages::Looking> looking;
  if (stage != Stage::all) looking.emplace(*state_->stages);
  state_->stages->wait_for(stage);
  if (const auto table = page::tables().find(name); table != page::tables().end())
    return Resource{table->second(*state_), "application/octet-stream"};
  if (const auto list = lists().find(name); list != lists().end())
    return Resource{list->second(*state_), "application/json"};
  if (name == "diff" && state_->diff) return Resource{*state_->diff, "application/json"};
  if (const auto which = numbers_after("source/", name)) return source(state_->trace, *which);
  if (const auto which = numbers_after("page/", name)) return contents_page(state_->trace, *which);
  return {};
}

std::vector<std::string> PageData::names() const {
  std::vector<std::string> names;
  for (const auto& [name, make] : lists()) names.emplace_back(name);
  for (const auto& [name, make] : page::tables()) names.emplace_back(name);
  if (state_->has_diff) names.emplace_back("diff");
  const auto& kernels = state_->trace.kernels();
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t v = 0; v < kernels[k].variants.size(); ++v)
      if (kernels[k].variants[v].blob && state_->trace.has_blob(*kernels[k].variants[v].blob))
        names.push_back(fmt::format("source/{}/{}", k, v));
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::size_t count = page::shader_source_names(state_->trace, kernels[k]).size();
    for (std::size_t i = 0; i < count; ++i)
      names.push_back(fmt::format("source/{}/{}", k, kernels[k].variants.size() + i));
  }
  return names;
}

const Trace& PageData::trace() const noexcept { return state_->trace; }

}  // namespace reel
