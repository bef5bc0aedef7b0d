// pprof.cpp - where time and bytes went, by scope and kernel, for pprof and what reads its
// profiles.
#include <map>
#include <vector>

#include "export/export_file.hpp"
#include "export/export_formats.hpp"
#include "export/timelines/protobuf.hpp"
#include "export/timelines/slices.hpp"

namespace reel {
namespace {

using protobuf::Message;

struct Usage {
  std::uint64_t count = 0, ns = 0, bytes = 0;
};

// Strings, and a function and place in the program for each name of a scope or kernel.
class Profile {
 public:
  Profile() { string(""); }

  std::uint64_t string(const std::string& text) {
    const auto [place, is_new] = strings_.try_emplace(text, strings_.size());
    if (is_new) table_.text(6, text);
    return place->second;
  }

  std::uint64_t location(const std::string& name) {
    const auto [place, is_new] = locations_.try_emplace(name, locations_.size() + 1);
    if (is_new) {
      Message function, line, location;
      function.number(1, place->second);
      function.number(2, string(name));
      function.number(3, string(name));
      functions_.message(5, function);
      line.number(1, place->second);
      location.number(1, place->second);
      location.message(4, line);
      functions_.message(4, location);
    }
    return place->second;
  }

  void value_type(std::uint32_t field, const char* type, const char* unit) {
    Message value;
    value.number(1, string(type));
    value.number(2, string(unit));
    body_.message(field, value);
  }

  // `stack`: the kernel first.
  void sample(const std::vector<std::uint64_t>& stack, const Usage& usage) {
    Message sample;
    sample.packed(1, stack);
    sample.packed(2, {usage.count, usage.ns, usage.bytes});
    body_.message(2, sample);
  }

  void finish(std::uint64_t duration_ns, const std::string& comment) {
    if (duration_ns) body_.number(10, duration_ns);
    body_.number(13, string(comment));
    body_.number(14, string("time"));
  }

  std::string bytes() const { return body_.bytes() + functions_.bytes() + table_.bytes(); }

 private:
  std::map<std::string, std::uint64_t> strings_, locations_;
  Message body_, functions_, table_;
};

std::vector<std::string> frames_of(const std::string& scope) {
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < scope.size();) {
    const std::size_t slash = std::min(scope.find('/', at), scope.size());
    frames.push_back(scope.substr(at, slash - at));
    at = slash + 1;
  }
  return frames;
}

}  // namespace

ExportReport export_pprof(const Trace& trace, const std::string& path, const ExportOptions& how) {
  ExportFile file(trace, path, how, ExportFile::Packing::gzip);
  const std::vector<std::uint64_t> own_ns = analysis::own_run_ns(trace);
  const analysis::Activity activity = analysis::find_activity(trace);

  std::vector<Usage> works(trace.works().size());
  for (std::size_t c = 0; c < trace.commands().size(); ++c) {
    Usage& usage = works[trace.commands()[c].work];
    ++usage.count;
    usage.ns += own_ns[c];
  }
  std::map<std::pair<std::string, std::string>, Usage> usages;  // by scope and name
  for (std::size_t w = 0; w < works.size(); ++w) {
    if (works[w].count == 0) continue;
    const TraceWork& work = trace.works()[w];
    TraceCommand command;
    command.work = static_cast<std::uint32_t>(w);
    Usage& usage = usages[{trace.text(work.scope), slice_name(trace, command)}];
    usage.count += works[w].count;
    usage.ns += works[w].ns;
    for (const TraceArgument& argument : trace.arguments(work))
      if (argument.buffer != no_index) usage.bytes += works[w].count * argument.size_bytes;
  }

  Profile profile;
  profile.value_type(1, "commands", "count");
  profile.value_type(1, "time", "nanoseconds");
  profile.value_type(1, "bytes", "bytes");
  for (const auto& [names, usage] : usages) {
    std::vector<std::uint64_t> stack{profile.location(names.second)};
    const std::vector<std::string> frames = frames_of(names.first);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      stack.push_back(profile.location(*frame));
    profile.sample(stack, usage);
  }
  profile.finish(activity.span_ns(), "reel: bytes are those of all ranges given, an upper bound");
  file.write(profile.bytes());

  ExportReport report;
  report.bytes = file.keep();
  report.files = {path};
  if (activity.sum_ns == 0 && !trace.commands().empty())
    report.left_out.emplace_back("No command has times, so the profile only counts them.");
  return report;
}

}  // namespace reel
