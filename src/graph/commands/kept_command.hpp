// kept_command.hpp - a command that owns the arguments and the bytes it points to.
//
// A Command borrows. Who gives one again and again keeps it like this: an instantiated graph, an
// executable, a replay. Copies point to their own. Buffers, kernels and labels are kept by others.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "reel/command.hpp"

namespace reel {

using KeptBytes = std::shared_ptr<const std::vector<std::byte>>;

// Makes a write point to a copy of its bytes, and returns that copy; none of other work.
inline KeptBytes keep_data(Work& work) {
  auto* write = std::get_if<Write>(&work);
  if (!write) return nullptr;
  auto data =
      std::make_shared<const std::vector<std::byte>>(write->data.begin(), write->data.end());
  write->data = *data;
  return data;
}

struct KeptCommand {
  Command command;
  std::vector<Argument> arguments;  // of a dispatch
  KeptBytes data;                   // of a write; none: it points to bytes of others

  KeptCommand() = default;
  // Of a write, the bytes stay where they are, until it is replaced.
  explicit KeptCommand(const Command& given) : command(given) {
    if (const auto* dispatch = std::get_if<Dispatch>(&command.work))
      // Parentheses: braces would take the iterators for two arguments.
      keep_arguments(std::vector<Argument>(dispatch->arguments.begin(), dispatch->arguments.end()));
  }
  KeptCommand(const KeptCommand& other)
      : command(other.command), arguments(other.arguments), data(other.data) {
    if (auto* dispatch = std::get_if<Dispatch>(&command.work)) dispatch->arguments = arguments;
  }
  KeptCommand(KeptCommand&&) = default;
  KeptCommand& operator=(KeptCommand other) {
    command = other.command;
    arguments = std::move(other.arguments);
    data = std::move(other.data);
    return *this;
  }
  ~KeptCommand() = default;

  // Of a dispatch.
  void keep_arguments(std::vector<Argument> list) {
    arguments = std::move(list);
    std::get<Dispatch>(command.work).arguments = arguments;
  }
  // By work that is no dispatch.
  void replace(const Work& work) {
    command.work = work;
    data = keep_data(command.work);
  }
};

}  // namespace reel
