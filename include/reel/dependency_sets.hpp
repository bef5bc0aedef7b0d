// dependency_sets.hpp - what holds for sets of commands, brought to their members and back.
//
//   for (const Dependency& d : report.dependencies)
//     for (const std::uint32_t from : sets.commands_of(d)) …
//
// Looks into lists that it doesn't own.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_set>
#include <vector>

#include "reel/analysis.hpp"

namespace reel::analysis {

class DependencySets {
 public:
  // `members`: by set, as in a Report.
  explicit DependencySets(std::span<const SetMember> members) : members_(members) {
    for (std::size_t i = 0; i < members.size(); ++i)
      while (first_.size() <= members[i].set) first_.push_back(i);
  }

  std::size_t size() const noexcept { return first_.size(); }
  std::span<const SetMember> members(std::uint32_t set) const {  // of a set
    const std::size_t end = set + 1 < first_.size() ? first_[set + 1] : members_.size();
    return members_.subspan(first_[set], end - first_[set]);
  }

  // All commands that a dependency is of, each once, in their order.
  std::vector<std::uint32_t> commands_of(const Dependency& dependency) const {
    if (dependency.set == no_index) return {dependency.from};
    std::vector<std::uint32_t> commands, open{dependency.set};
    std::unordered_set<std::uint32_t> seen;
    while (!open.empty()) {
      const std::uint32_t set = open.back();
      open.pop_back();
      for (const SetMember& member : members(set))
        if (member.inner == no_index) {
          commands.push_back(member.command);
        } else if (seen.insert(member.inner).second) {
          open.push_back(member.inner);
        }
    }
    std::ranges::sort(commands);
    commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
    return commands;
  }

  // visit(from, to) for each pair of commands of one kind of dependencies, each pair once. Ends
  // where it returns false.
  template <class F>
  void for_each_pair(std::span<const Dependency> dependencies, DependencyKind kind,
                     F&& visit) const {
    std::vector<std::uint32_t> commands;
    for (std::size_t i = 0; i < dependencies.size();) {
      const std::uint32_t to = dependencies[i].to;
      commands.clear();
      for (; i < dependencies.size() && dependencies[i].to == to; ++i) {
        if (dependencies[i].kind != kind) continue;
        const auto more = commands_of(dependencies[i]);
        commands.insert(commands.end(), more.begin(), more.end());
      }
      std::ranges::sort(commands);
      commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
      for (const std::uint32_t from : commands)
        if (!visit(from, to)) return;
    }
  }

  // A value for each command and one for each set. What is said of a set is said of its members
  // when spread() comes: join(member's, set's). A set is larger than the sets in it, so one walk
  // from the largest on does it.
  template <class T>
  struct Values {
    std::vector<T> of_command, of_set;
    // The value of the command, or of the set, that it comes from.
    T& of(const Dependency& d) { return d.set == no_index ? of_command[d.from] : of_set[d.set]; }
  };
  template <class T>
  Values<T> values(std::size_t commands, const T& value) const {  // one for each
    return {std::vector<T>(commands, value), std::vector<T>(size(), value)};
  }
  template <class T, class Join>
  void spread(Values<T>& values, Join&& join) const {  // to all members
    for (auto member = members_.rbegin(); member != members_.rend(); ++member)
      join(member->inner == no_index ? values.of_command[member->command]
                                     : values.of_set[member->inner],
           values.of_set[member->set]);
  }
  // The other way, for sets from `from` on up to `set`: join(set's, member's). The next `from`.
  template <class T, class Join>
  std::uint32_t gather(Values<T>& values, std::uint32_t from, std::uint32_t set,
                       Join&& join) const {
    for (; from <= set; ++from)
      for (const SetMember& member : members(from))
        join(values.of_set[from], member.inner == no_index ? values.of_command[member.command]
                                                           : values.of_set[member.inner]);
    return from;
  }

 private:
  std::span<const SetMember> members_;
  std::vector<std::size_t> first_;
};

}  // namespace reel::analysis
