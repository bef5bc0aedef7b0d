// deps.cpp - `reel deps`: what depends on what.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/showing/table.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/dependency_sets.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string command, kind;
  std::size_t most = 50;
};

std::string from_text(const analysis::DependencySets& sets, const analysis::Dependency& d) {
  if (d.set == no_index) return command_name(d.from);
  return fmt::format("{} up to {}", count_text(sets.commands_of(d).size(), "command"),
                     command_name(d.from));
}

std::string buffer_text(const Trace& trace, const analysis::Dependency& dependency) {
  if (dependency.buffer == no_index) return "";
  const std::string first = describe_buffer(trace, dependency.buffer);
  if (dependency.more_buffers == 0) return first;
  return fmt::format("{} and {}", first, count_text(dependency.more_buffers, "other"));
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  const std::uint32_t only =
      options.command.empty() ? no_index : parse_command(trace, options.command);
  // Of one command, each that it depends on, and each that depends on it; never a set.
  analysis::Dependencies found =
      only == no_index
          ? analysis::find_dependencies(trace)
          : analysis::Dependencies{analysis::find_dependencies_of(trace, only), {}, no_index};
  std::vector<analysis::Dependency>& list = found.edges;
  const analysis::DependencySets sets(found.sets);
  std::erase_if(list, [&](const analysis::Dependency& d) {
    return !options.kind.empty() && options.kind != to_string(d.kind);
  });
  std::array<std::uint64_t, analysis::dependency_kinds> counts{};
  for (const analysis::Dependency& d : list) ++counts[static_cast<std::size_t>(d.kind)];
  if (options.json) {
    Json json = json_of(trace);
    json["counts"] = Json::object();
    for (std::size_t kind = 0; kind < analysis::dependency_kinds; ++kind)
      json["counts"][to_string(static_cast<analysis::DependencyKind>(kind))] = counts[kind];
    json["dependencies"] = Json::array();
    for (const analysis::Dependency& d : list)
      json["dependencies"].push_back(
          {{"from", command_name(d.from)},
           {"to", command_name(d.to)},
           {"kind", to_string(d.kind)},
           {"buffer", d.buffer == no_index ? Json() : Json(name_of(trace.buffers()[d.buffer].id))},
           {"more_buffers", d.more_buffers},
           {"bytes", d.bytes},
           {"set", d.set == no_index ? Json() : Json(d.set)}});
    json["unfollowed_from"] =
        found.unfollowed_from == no_index ? Json() : Json(command_name(found.unfollowed_from));
    json["sets"] = Json::array();
    for (std::uint32_t set = 0; set < sets.size(); ++set) {
      Json commands = Json::array(), inner = Json::array();
      for (const analysis::SetMember& member : sets.members(set))
        if (member.inner == no_index)
          commands.push_back(command_name(member.command));
        else
          inner.push_back(member.inner);
      json["sets"].push_back({{"commands", std::move(commands)}, {"sets", std::move(inner)}});
    }
    print_json(json);
    return done;
  }
  if (found.unfollowed_from != no_index)
    fmt::print(
        "From {} on too many streams wait for each other to follow them all: races there are "
        "not found.\n",
        command_name(found.unfollowed_from));
  if (list.empty()) {
    if (trace.commands().empty())
      print_none(trace, "commands", "No dependencies: the document has no commands.");
    else
      fmt::print("No dependencies{}.\n",
                 only == no_index && options.kind.empty() ? "" : " of this kind");
    return done;
  }
  using enum Table::Align;
  Table table({{"FROM"}, {"TO"}, {"KIND"}, {"BYTES", right}, {"THROUGH"}});
  for (std::size_t i = 0; i < list.size() && i < options.most; ++i)
    table.add({from_text(sets, list[i]), command_name(list[i].to), to_string(list[i].kind),
               list[i].bytes ? size_text(list[i].bytes) : "-", buffer_text(trace, list[i])});
  fmt::print("{}", table.text());
  if (list.size() > options.most)
    fmt::print("{} more; --most shows them\n", list.size() - options.most);
  fmt::print("{}", "\n");
  for (std::size_t kind = 0; kind < analysis::dependency_kinds; ++kind)
    if (counts[kind])
      fmt::print("{} {}  ", counts[kind], to_string(static_cast<analysis::DependencyKind>(kind)));
  fmt::print("\n");
  print_next(options, {{"reel deps $ " + command_name(list[0].to), "only of one command"},
                       {"reel view $", "the same as a picture"}});
  return done;
}

}  // namespace

void add_deps(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "deps", "Dependencies between commands, by bytes and by waits", run);
  verb.add_option("command", options.command,
                  "Only those of this command, like c12: each command that it depends on, and "
                  "each that depends on it")
      .type_name("c12");
  verb.add_option("--of", options.command, "The same").type_name("c12");
  verb.add_option(
          "--kind", options.kind,
          "Only this kind: data, order, missing (races), redundant (waits without a reason)")
      .one_of({"data", "order", "missing", "redundant"});
  verb.add_option("--most", options.most, "How many are listed").show_default();
  verb.footer("Examples:\n  reel deps pass.reel --of c12\n  reel deps pass.reel --kind missing");
}

}  // namespace reel::cli
